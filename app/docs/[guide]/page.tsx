import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import type { ComponentType } from "react";
import { GUIDES, type GuideSlug } from "../_content/guide-list";
import { AgentGuide } from "../_guides/agent";
import { AnyLanguageGuide } from "../_guides/any-language";
import { AuthenticationGuide } from "../_guides/authentication";
import { BackendGuide } from "../_guides/backend";
import { BotGuide } from "../_guides/bot";
import { ChangelogGuide } from "../_guides/changelog";
import { CheckoutGuide } from "../_guides/checkout";
import { ErrorsGuide } from "../_guides/errors";
import { LimitsGuide } from "../_guides/limits";
import { ModelsGuide } from "../_guides/models";
import { SandboxGuide } from "../_guides/sandbox";
import { SdkGuide } from "../_guides/sdk";
import { ServiceWalletGuide } from "../_guides/service-wallet";
import { TheLoopGuide } from "../_guides/the-loop";
import { VerifyingGuide } from "../_guides/verifying";

const GUIDE_BODIES: Record<GuideSlug, ComponentType> = {
  authentication: AuthenticationGuide,
  "service-wallet": ServiceWalletGuide,
  "the-loop": TheLoopGuide,
  sdk: SdkGuide,
  checkout: CheckoutGuide,
  backend: BackendGuide,
  bot: BotGuide,
  "any-language": AnyLanguageGuide,
  errors: ErrorsGuide,
  limits: LimitsGuide,
  sandbox: SandboxGuide,
  agent: AgentGuide,
  verifying: VerifyingGuide,
  models: ModelsGuide,
  changelog: ChangelogGuide,
};

interface Props {
  params: Promise<{ guide: string }>;
}

export const dynamicParams = false;

export const generateStaticParams = () => GUIDES.map(({ slug }) => ({ guide: slug }));

const findGuide = (slug: string) => GUIDES.find((guide) => guide.slug === slug);

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const guide = findGuide((await params).guide);
  return guide ? { title: guide.title, description: guide.lead } : {};
}

export default async function GuidePage({ params }: Props) {
  const guide = findGuide((await params).guide);
  if (!guide) notFound();
  const Body = GUIDE_BODIES[guide.slug];
  const nextGuide = GUIDES[GUIDES.indexOf(guide) + 1];
  return (
    <article className="max-w-3xl">
      <h1 className="text-3xl font-semibold sm:text-4xl">{guide.title}</h1>
      <p className="mt-2 text-lg text-soft">{guide.lead}</p>
      <div className="mt-6 space-y-3">
        <Body />
      </div>
      <p className="mt-12 border-t border-line pt-5">
        <span className="text-soft">Next: </span>
        <Link
          href={nextGuide ? `/docs/${nextGuide.slug}` : "/docs#reference"}
          prefetch={false}
          className="font-medium text-accent underline underline-offset-4"
        >
          {nextGuide?.title ?? "API reference"}
        </Link>
      </p>
    </article>
  );
}
