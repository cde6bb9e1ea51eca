import { ERRORS } from "@/lib/errors";
import { GUIDES } from "./guide-list";
import { AUTH_TEXT, listOperations, type Operation, operationGroups } from "./reference";
import { SKILL, WORKED_EXAMPLE } from "./samples";
import type { FieldRow } from "./schema-fields";

/**
 * Generates the texts for programs: /llms.txt for orientation and /SKILL.md for the work. The operations come from the
 * contracts.
 */

const FACTS = `Round-up investing on Solana over plain HTTP and JSON. A client sends the dollar value of a purchase; Roundup computes the spare change, builds the transfers that save it (its fee included), reports balances and prices, builds unsigned swaps and withdrawals, and relays what a wallet has signed.

- The wallet is the identity: no account, no registration. No private key is ever sent, stored or returned.
- Paths are relative to the origin this file came from.
- A success is \`{ "ok": true, "data": … }\`, a failure \`{ "ok": false, "error", "code", "requestId" }\`; \`error\` is a sentence, \`code\` is stable. Only /api/openapi.json stands bare.
- Bodies are JSON with \`Content-Type: application/json\`, at most 16 KiB. Unknown fields are refused. Nothing is coerced: \`"27.63"\` is not a number.
- 60 requests in any rolling 60 seconds per client address; a 429 says in \`Retry-After\` when to go on.
- Whether money is real: \`GET /api/plans\` → \`network\` is \`sandbox\` (play money) or \`mainnet-beta\`.`;

/** /llms.txt, after llmstxt.org. */
export function llmsTxt(): string {
  return [
    "# Roundup",
    "> Save the spare change of each purchase and turn it into BTC, ETH, USDC or USDT, from a wallet only its owner can open.",
    FACTS,
    "## Documents",
    [
      "- [SKILL.md](/SKILL.md): the whole loop, step by step, for agents",
      "- [OpenAPI 3.1](/api/openapi.json): every field, limit and error",
      "- [Everything](/llms-full.txt): SKILL.md and all guides in one file",
      "- [API reference](/docs): the same for people, with a console",
      ...GUIDES.map(({ slug, title, lead }) => `- [${title}](/docs/${slug}.md): ${lead}`),
    ].join("\n"),
    STRINGS,
    ...operationGroups().flatMap(({ tag, operations }) => [`## ${tag}`, operations.map(describe).join("\n")]),
    "## Errors",
    errorList(),
  ]
    .join("\n\n")
    .concat("\n");
}

/** /SKILL.md: front matter, the loop, the worked example, every operation. */
export function skillMd(): string {
  return [
    SKILL,
    `\`\`\`js\n${WORKED_EXAMPLE}\n\`\`\``,
    "## Every operation",
    STRINGS,
    listOperations().map(describe).join("\n"),
    "## Every error code",
    errorList(),
  ]
    .join("\n\n")
    .concat("\n");
}

/** One line: method, path, who may call, what it is for, and its fields. */
function describe({ id, method, path, auth, summary, parameters, body }: Operation): string {
  const fields: FieldRow[] = [...parameters, ...(body?.fields ?? []).filter(({ path }) => !path.includes("."))];
  const list = (required: boolean) => fields.filter((field) => field.required === required).map(fieldText);
  const parts = [
    `\`${method} ${path}\` (${id}; ${AUTH_TEXT[auth]}): ${summary}.`,
    list(true).length > 0 && `Required: ${list(true).join("; ")}.`,
    list(false).length > 0 && `Optional: ${list(false).join("; ")}.`,
  ];
  return `- ${parts.filter(Boolean).join(" ")}`;
}

/** Omits patterns, which only matter in the OpenAPI document. */
function fieldText({ path, type, limits }: FieldRow): string {
  const told = [type, ...limits].filter((words) => words !== "string" && !words.startsWith("matches"));
  return told.length > 0 ? `\`${path}\` (${told.join(", ")})` : `\`${path}\``;
}

const STRINGS = "A field without a type is a string.";

const errorList = () =>
  Object.entries(ERRORS)
    .map(([code, [status, sentence]]) => `- ${status} \`${code}\`: ${sentence}`)
    .join("\n");
