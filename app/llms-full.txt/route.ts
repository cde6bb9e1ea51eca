import { buildLlmsFullTxt } from "@/app/docs/_content/agent-docs";

export const dynamic = "force-static";

export function GET(): Response {
  return new Response(buildLlmsFullTxt(), { headers: { "content-type": "text/plain; charset=utf-8" } });
}
