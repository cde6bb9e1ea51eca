import { expect, test } from "vitest";
import { tokenize } from "@/app/docs/_content/highlight";
import { readFence } from "../../support/fences";

test.each([
  ["js", "verifying"],
  ["python", "any-language"],
  ["sh", "authentication"],
])("highlights %s without changing its text", (language, guide) => {
  const code = readFence(`docs/guides/${guide}.md`, language === "js" ? "js check-wrap" : language);
  const tokens = tokenize(code, language);
  expect(tokens.map(({ text }) => text).join("")).toBe(code);
  // A tokenizer that recognises nothing returns a single kind.
  expect(new Set(tokens.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(3);
});
