import type { Metadata } from "next";
import { SoftLink } from "@/app/_components/soft-link";
import { Markdown } from "../_components/markdown";
import { GUIDES } from "../_content/guides";

interface Props {
  params: Promise<{ guide: string }>;
}

export const dynamicParams = false;

export const generateStaticParams = () => GUIDES.map(({ slug }) => ({ guide: slug }));

const findGuide = async (params: Props["params"]) => {
  const { guide } = await params;
  return GUIDES.find(({ slug }) => slug === guide)!;
};

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { title, lead } = await findGuide(params);
  return { title, description: lead };
}

export default async function GuidePage({ params }: Props) {
  const guide = await findGuide(params);
  const nextGuide = GUIDES[GUIDES.indexOf(guide) + 1];
  return (
    <article className="max-w-3xl">
      <h1 className="text-3xl font-semibold sm:text-4xl">{guide.title}</h1>
      <p className="mt-2 text-lg text-soft">{guide.lead}</p>
      <div className="mt-6 space-y-3">
        <Markdown>{guide.introduction}</Markdown>
        {guide.sections.map(({ id, title, text }) => (
          <section key={id} aria-labelledby={id} className="mt-10">
            <h2 id={id} className="scroll-mt-4 text-xl font-semibold">
              <a href={`#${id}`} className="underline-offset-4 hover:underline">
                {title}
              </a>
            </h2>
            <div className="mt-3 space-y-3">
              <Markdown>{text}</Markdown>
            </div>
          </section>
        ))}
      </div>
      <p className="mt-12 border-t border-line pt-5">
        <span className="text-soft">Next: </span>
        <SoftLink
          href={nextGuide ? `/docs/${nextGuide.slug}` : "/docs#reference"}
          className="font-medium text-accent underline underline-offset-4"
        >
          {nextGuide?.title ?? "API reference"}
        </SoftLink>
      </p>
    </article>
  );
}
