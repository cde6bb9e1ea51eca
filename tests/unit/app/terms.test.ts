import { describe, expect, test } from "vitest";
import { DEFAULT_TERMS, parseTerms } from "@/app/_client/local-storage/terms";

describe("parseTerms", () => {
  test("reads back what the user typed", () => {
    const terms = { choice: "custom", increment: "2,5", ceiling: "0.", multiplier: 3 } as const;
    expect(parseTerms(JSON.stringify(terms))).toEqual(terms);
  });

  test.each([null, "", "broken", "null", "[]", "7", '{"choice":"hedge","increment":2,"ceiling":{},"multiplier":11}'])(
    "returns the default terms for the stored text %j",
    (text) => {
      expect(parseTerms(text)).toEqual(DEFAULT_TERMS);
    },
  );

  test("replaces invalid and missing fields with their defaults and keeps the others", () => {
    expect(parseTerms('{"choice":"gone","ceiling":"0.80"}')).toEqual({ ...DEFAULT_TERMS, ceiling: "0.80" });
  });
});
