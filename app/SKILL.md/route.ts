import { buildSkillMd } from "@/app/docs/_content/agent-docs";

export const dynamic = "force-static";

export function GET(): Response {
  return new Response(buildSkillMd(), { headers: { "content-type": "text/markdown; charset=utf-8" } });
}
