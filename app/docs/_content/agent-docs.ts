import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AUTH_TEXTS } from "@/lib/contracts/define";
import { ERRORS } from "@/lib/errors";
import { GUIDES } from "./guides";
import { listOperationGroups, listOperations, type Operation } from "./reference";
import type { FieldRow } from "./schema-fields";

/* The texts for programs. */

const FACTS = `Round-up investing on Solana over plain HTTP and JSON. A client sends the dollar value of a payment; Roundup computes the change, builds the transfers that save it (its fee included), reports balances and prices, builds unsigned swaps and withdrawals, and relays what a wallet has signed.

- The wallet is the identity: no account, no registration. No private key is ever sent, stored or returned.
- Paths are relative to the origin this file came from.
- A success is \`{ "ok": true, "data": … }\`, a failure \`{ "ok": false, "error", "code", "requestId" }\`; \`error\` is a sentence, \`code\` is stable. Only /api/openapi.json stands bare.
- Bodies are JSON with \`Content-Type: application/json\`, at most 16 KiB. Unknown fields are refused. Nothing is coerced: \`"27.63"\` is not a number.
- 60 requests in any rolling 60 seconds per client address; a 429 says in \`Retry-After\` when to go on.
- Whether money is real: \`GET /api/plans\` → \`network\` is \`sandbox\` (play money) or \`mainnet-beta\`.`;

/** In the format of llmstxt.org. */
export function buildLlmsTxt(): string {
  return joinParts([
    "# Roundup",
    "> Save the change of each payment and turn it into BTC, ETH, USDC or USDT, from a wallet only its owner can open.",
    FACTS,
    "## Documents",
    [
      "- [SKILL.md](/SKILL.md): the whole loop, step by step, for agents",
      "- [OpenAPI 3.1](/api/openapi.json): every field, limit and error",
      "- [Everything](/llms-full.txt): SKILL.md and all guides in one file",
      "- [API reference](/docs): the same for people, with a console",
      ...GUIDES.map(({ slug, title, lead }) => `- [${title}](/docs/${slug}.md): ${lead}`),
    ].join("\n"),
    STRING_NOTE,
    ...listOperationGroups().flatMap(({ tag, operations }) => [
      `## ${tag}`,
      operations.map(describeOperation).join("\n"),
    ]),
    "## Errors",
    formatErrors(),
  ]);
}

export const buildLlmsFullTxt = () => [buildSkillMd(), ...GUIDES.map(({ markdown }) => markdown)].join("\n");

/** The written part with its worked example, every operation and every error code. */
export function buildSkillMd(): string {
  return joinParts([
    readFileSync(join(process.cwd(), "docs/skill.md"), "utf8").trimEnd(),
    "## Every operation",
    STRING_NOTE,
    listOperations().map(describeOperation).join("\n"),
    "## Every error code",
    formatErrors(),
  ]);
}

const joinParts = (parts: string[]) => `${parts.join("\n\n")}\n`;

function describeOperation({ id, method, path, auth, summary, parameters, body }: Operation): string {
  const fields: FieldRow[] = [...parameters, ...(body?.fields ?? []).filter(({ path }) => !path.includes("."))];
  const listFields = (required: boolean) => fields.filter((field) => field.required === required).map(formatField);
  const parts = [
    `\`${method} ${path}\` (${id}; ${AUTH_TEXTS[auth]}): ${summary}.`,
    listFields(true).length > 0 && `Required: ${listFields(true).join("; ")}.`,
    listFields(false).length > 0 && `Optional: ${listFields(false).join("; ")}.`,
  ];
  return `- ${parts.filter(Boolean).join(" ")}`;
}

/** Omits patterns, which only matter in the OpenAPI document. */
function formatField({ path, type, limits }: FieldRow): string {
  const details = [type, ...limits].filter((words) => words !== "string" && !words.startsWith("matches"));
  return details.length > 0 ? `\`${path}\` (${details.join(", ")})` : `\`${path}\``;
}

const STRING_NOTE = "A field without a type is a string.";

const formatErrors = () =>
  Object.entries(ERRORS)
    .map(([code, [status, sentence]]) => `- ${status} \`${code}\`: ${sentence}`)
    .join("\n");
