import { describe, expect, test } from "vitest";
import { DEFAULT_TERMS, parseTerms } from "@/app/_client/local-storage/terms";

describe("stored round-up settings", () => {
  test("are read back as typed", () => {
    const typed = { choice: "custom", increment: "2,5", ceiling: "0.", multiplier: 3 } as const;
    expect(parseTerms(JSON.stringify(typed))).toEqual(typed);
  });

  test.each([null, "", "broken", "null", "[]", "7", '{"choice":"hedge","increment":2,"ceiling":{},"multiplier":11}'])(
    "are as at first when what is kept is %j",
    (text) => {
      expect(parseTerms(text)).toEqual(DEFAULT_TERMS);
    },
  );

  test("keep the fields that are valid", () => {
    expect(parseTerms('{"choice":"gone","ceiling":"0.80"}')).toEqual({ ...DEFAULT_TERMS, ceiling: "0.80" });
  });
});
