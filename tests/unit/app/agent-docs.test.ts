import { describe, expect, test } from "vitest";
import { z } from "zod";
import { buildLlmsFullTxt, buildLlmsTxt, buildSkillMd } from "@/app/docs/_content/agent-docs";
import { GUIDES } from "@/app/docs/_content/guides";
import { CONTRACTS } from "../../../lib/contracts";
import { AUTH_TEXTS, type Contract } from "../../../lib/contracts/define";
import { ERRORS } from "../../../lib/errors";

const [SKILL = ""] = buildSkillMd().split("## A worked example");

const listRequestFields = ({ params, query, body }: Contract, isRequired?: boolean) =>
  [params, query, body]
    .flatMap((part) => Object.entries((part instanceof z.ZodObject ? part.shape : {}) as Record<string, z.ZodType>))
    .filter(([, field]) => isRequired !== field instanceof z.ZodOptional)
    .map(([name]) => name);

describe.each([
  ["llms.txt", buildLlmsTxt()],
  ["SKILL.md", buildSkillMd()],
])("/%s", (_fileName, text) => {
  test.each(CONTRACTS)("has one line for $operation with method, path, callers and fields", (contract) => {
    const { operation, method, path, auth, summary } = contract as Contract;
    const [line = "", ...others] = text.split("\n").filter((line) => line.startsWith(`- \`${method} ${path}\` (`));
    expect(others).toEqual([]);
    expect(line).toContain(`(${operation}; ${AUTH_TEXTS[auth]})`);
    const [, fields = ""] = line.split(summary);
    const listed = fields.split("Optional: ").map((part) => [...part.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(listed[0]!.sort(), "required").toEqual(listRequestFields(contract, true).sort());
    expect((listed[1] ?? []).sort(), "optional").toEqual(listRequestFields(contract, false).sort());
  });

  test("names only operations that exist", () => {
    const knownCalls = new Set(CONTRACTS.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "*")}`));
    const mentionedCalls = [...text.matchAll(/\b(GET|POST|DELETE) (\/api\/[\w./{}]+)/g)].map(
      ([, method, path]) => `${method} ${path!.replace(/\{\w+\}/g, "*").replace(/\.$/, "")}`,
    );
    expect(mentionedCalls.length, "the pattern finds the calls").toBeGreaterThan(CONTRACTS.length);
    expect(mentionedCalls.filter((call) => !knownCalls.has(call))).toEqual([]);
  });

  test("lists every error code with its status", () => {
    for (const [code, [status, sentence]] of Object.entries(ERRORS)) {
      expect(text).toContain(`- ${status} \`${code}\`: ${sentence}`);
    }
  });
});

test("llms.txt links every guide, and llms-full.txt contains it", () => {
  for (const { slug, markdown } of GUIDES) {
    expect(buildLlmsTxt()).toContain(`(/docs/${slug}.md)`);
    expect(buildLlmsFullTxt()).toContain(markdown);
  }
});

describe("the loop in SKILL.md", () => {
  /** The field names of all requests and responses, at any depth. */
  const fieldNames = new Set(
    CONTRACTS.flatMap(({ params, query, body, data }) =>
      [params, query, body, data].flatMap((part) =>
        part ? listPropertyNames(z.toJSONSchema(part, { io: "input" })) : [],
      ),
    ),
  );

  test("gives each call only fields of its contract", () => {
    const calls = [...SKILL.matchAll(/`POST (\/api\/[\w/]+) \{ ([^}]*)\}/g)];
    expect(calls.length, "the pattern finds the calls").toBeGreaterThan(7);
    for (const [, path, fields] of calls) {
      const contract = CONTRACTS.find((operation) => operation.method === "POST" && operation.path === path)!;
      const allowedNames = listRequestFields(contract);
      const names = fields!
        .split(",")
        .map((part) => part.trim().split(":")[0]!.trim())
        .filter((name) => /^\w/.test(name));
      expect(
        names.filter((name) => !allowedNames.includes(name)),
        path,
      ).toEqual([]);
    }
  });

  /** A network, and members of an error response. */
  const OTHER_WORDS = ["sandbox", "error", "code", "requestId"];

  test("uses only known field names and error codes in code spans", () => {
    const words = [...SKILL.matchAll(/`([a-z]\w+(?:\.\w+)*)`/g)].flatMap(([, word]) => word!.split("."));
    const unknownWords = words.filter(
      (word) => !fieldNames.has(word) && !(word in ERRORS) && !OTHER_WORDS.includes(word),
    );
    expect(unknownWords).toEqual([]);
  });
});

/** At any depth. */
function listPropertyNames(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties } = schema as { properties?: Record<string, unknown> };
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(listPropertyNames)];
}
