import { expect, test } from "vitest";
import { cleanText, cleanValue } from "@/lib/cli/output/text";
import { createCliUser } from "../../../support/client/cli-user";

const C0 = String.fromCharCode(...Array.from({ length: 32 }, (_, i) => i));
const C1 = String.fromCharCode(...Array.from({ length: 33 }, (_, i) => i + 0x7f));

test.each([
  ["a colour", "a\u001b[31mb\u001b[0m", "ab"],
  ["codes that move the cursor up and clear the line", "a\u001b[1A\u001b[2Kb", "ab"],
  ["a link", "\u001b]8;;https://evil.example\u0007ab\u001b]8;;\u0007", "ab"],
  ["the 8-bit form of an escape sequence", "a\u009b31mb", "ab"],
  ["C0, except tab and line feed", `a${C0}b`, "a\t\nb"],
  ["DEL and C1", `a${C1}b`, "ab"],
  ["overrides of the text direction and line separators", "a\u202e\u2066\u200f\u061c\u2028b", "ab"],
  ["letters of any script", "Zürich 東京 😀", "Zürich 東京 😀"],
])("cleanText cleans text with %s", (_caseName, text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test("cleanValue cleans every string inside a value and joins it into one line", () => {
  const value = { a: ["\u001b[31mx"], b: { c: "y\n2\r" }, d: null, e: 1 };
  expect(cleanValue(value)).toEqual({ a: ["x"], b: { c: "y 2" }, d: null, e: 1 });
});

test("the command prints an error of the service on one line, without control characters", async () => {
  const { run } = createCliUser();
  const answer = { ok: false, error: "No.\u001b[2K\r\u202e\nSaved $5.00.", code: "no_route" };
  const { errorLines } = await run(["status"], { fetch: async () => Response.json(answer, { status: 422 }) });
  expect(errorLines).toEqual(["No. Saved $5.00."]);
});
