import { GUIDES } from "../../_content/guides";

export const dynamic = "force-static";
export const dynamicParams = false;

export const generateStaticParams = () => GUIDES.map(({ slug }) => ({ guide: slug }));

/** Served as `/docs/<guide>.md` by next.config.mjs and the server. */
export async function GET(_: Request, { params }: { params: Promise<{ guide: string }> }): Promise<Response> {
  const { guide } = await params;
  const { markdown } = GUIDES.find(({ slug }) => slug === guide)!;
  return new Response(markdown, { headers: { "content-type": "text/markdown; charset=utf-8" } });
}
