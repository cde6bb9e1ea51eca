import { expect, test } from "vitest";
import { type Language, tokenize } from "@/app/docs/_content/highlight";
import { CHECK_WRAP, ROUND_UP_PYTHON, SHELL_SIGN_IN } from "@/app/docs/_content/samples";

test.each<[Language, string]>([
  ["javascript", CHECK_WRAP],
  ["python", ROUND_UP_PYTHON],
  ["bash", SHELL_SIGN_IN],
])("highlights %s without changing its text", (language, code) => {
  const tokens = tokenize(code, language);
  expect(tokens.map(({ text }) => text).join("")).toBe(code);
  // A tokenizer that recognises nothing returns a single kind.
  expect(new Set(tokens.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(3);
});
