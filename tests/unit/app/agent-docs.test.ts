import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { buildLlmsTxt, buildSkillMd } from "@/app/docs/_content/agent-docs";
import { GUIDES } from "@/app/docs/_content/guide-list";
import { SKILL, WORKED_EXAMPLE } from "@/app/docs/_content/samples";
import { CONTRACTS } from "../../../lib/contracts";
import type { AuthRule, Contract } from "../../../lib/contracts/define";
import { ERRORS } from "../../../lib/errors";

const AUTH_WORDS: Record<AuthRule, string> = {
  none: "Anyone",
  caller: "Signature or API key",
  wallet: "Wallet signature only",
  signer: "Wallet signature, in the headers or in the body",
  optional: "Anyone; credentials show more",
};

/** Returns the field names of one part of a request that are required, or those that are optional. */
function fieldNames(part: z.ZodType | undefined, required: boolean): string[] {
  if (!(part instanceof z.ZodObject)) return [];
  const shape = part.shape as Record<string, z.ZodType>;
  return Object.keys(shape).filter((name) => !(shape[name] instanceof z.ZodOptional) === required);
}

const namesOf = ({ params, query, body }: Contract, required: boolean) =>
  [params, query, body].flatMap((part) => fieldNames(part, required));

describe.each([
  ["llms.txt", buildLlmsTxt()],
  ["SKILL.md", buildSkillMd()],
])("/%s", (_name, text) => {
  const lineOf = ({ method, path }: Contract) =>
    text.split("\n").find((line) => line.startsWith(`- \`${method} ${path}\` (`));

  test.each(CONTRACTS)("has one line for $operation with method, path, callers and fields", (contract) => {
    const line = lineOf(contract);
    expect(line).toContain(`(${contract.operation}; ${AUTH_WORDS[contract.auth]})`);
    expect(line).toContain(contract.summary);
    const [needed = "", optional = ""] = line!.split("Optional: ");
    for (const name of namesOf(contract, true)) expect(needed).toContain(`\`${name}\``);
    for (const name of namesOf(contract, false)) expect(optional).toContain(`\`${name}\``);
    const [, fields = ""] = line!.split(contract.summary);
    const told = [...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(told).toHaveLength(namesOf(contract, true).length + namesOf(contract, false).length);
  });

  test("names only operations that exist", () => {
    const known = new Set(CONTRACTS.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "*")}`));
    const named = [...text.matchAll(/\b(GET|POST|DELETE) (\/api\/[\w./{}]+)/g)].map(
      ([, method, path]) => `${method} ${path!.replace(/\{\w+\}/g, "*").replace(/\.$/, "")}`,
    );
    expect(named.length).toBeGreaterThan(CONTRACTS.length);
    expect(named.filter((one) => !known.has(one))).toEqual([]);
  });

  test("lists every error code with its status", () => {
    for (const [code, [status, sentence]] of Object.entries(ERRORS)) {
      expect(text).toContain(`- ${status} \`${code}\`: ${sentence}`);
    }
  });

  test("has under 20,000 characters, no unresolved values, and a final line break", () => {
    expect(text.length).toBeLessThan(20_000);
    expect(text.endsWith("\n")).toBe(true);
    expect(text).not.toMatch(/undefined|\[object/);
  });
});

test("llms.txt links every guide", () => {
  for (const { slug } of GUIDES) expect(buildLlmsTxt()).toContain(`(/docs/${slug}.md)`);
});

test("SKILL.md starts with front matter of a name and a description", () => {
  expect(buildSkillMd()).toMatch(/^---\nname: roundup\ndescription: .{80,1000}\n---\n/);
});

describe("the loop in SKILL.md", () => {
  test("takes less than 100 lines", () => {
    expect(SKILL.split("\n").length).toBeLessThan(100);
  });

  /** Field names of every request and response, at any depth. */
  const members = new Set(
    CONTRACTS.flatMap(({ params, query, body, data }) =>
      [params, query, body, data].flatMap((part) => (part ? propertyNames(z.toJSONSchema(part, { io: "input" })) : [])),
    ),
  );

  test("names only fields that the call has", () => {
    const calls = [...SKILL.matchAll(/`POST (\/api\/[\w/]+) \{ ([^}]*)\}/g)];
    expect(calls.length).toBeGreaterThan(7);
    for (const [, path, inside] of calls) {
      const contract = CONTRACTS.find((one) => one.method === "POST" && one.path === path)!;
      const allowed = [...namesOf(contract, true), ...namesOf(contract, false)];
      const named = inside!
        .split(",")
        .map((part) => part.trim().split(":")[0]!.trim())
        .filter((name) => /^\w/.test(name));
      expect(
        named.filter((name) => !allowed.includes(name)),
        path,
      ).toEqual([]);
    }
  });

  /** Networks, and members of an error response. */
  const OTHER_WORDS = ["sandbox", "error", "code", "requestId"];

  test("uses only known field names and error codes in code spans", () => {
    const words = [...SKILL.matchAll(/`([a-z]\w+(?:\.\w+)*)`/g)].flatMap(([, word]) => word!.split("."));
    const unknown = words.filter((word) => !members.has(word) && !(word in ERRORS) && !OTHER_WORDS.includes(word));
    expect(unknown).toEqual([]);
  });
});

function propertyNames(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties } = schema as { properties?: Record<string, unknown> };
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(propertyNames)];
}

test("SKILL.md contains one worked example, the program that the API tests run", () => {
  const blocks = [...buildSkillMd().matchAll(/^```js\n([\s\S]*?)\n```$/gm)].map(([, code]) => code);
  expect(blocks).toEqual([WORKED_EXAMPLE]);
  expect(readFileSync("app/docs/_samples/worked-example.mjs", "utf8").trim()).toBe(WORKED_EXAMPLE.trim());
});
