import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatApiKey, hashApiKey, readApiKeyId } from "../../../lib/domain/api-key";

const createAnyBytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const anyKeyParts = fc.record({
  mode: fc.constantFrom("live" as const, "test" as const),
  idBytes: createAnyBytes(8),
  secret: createAnyBytes(32),
});
const exampleKey = formatApiKey("test", new Uint8Array(8).fill(0xab), new Uint8Array(32).fill(0xcd)).apiKey;

describe("readApiKeyId", () => {
  test("returns the id of a key for its own mode only", () => {
    const property = fc.property(anyKeyParts, ({ mode, idBytes, secret }) => {
      const { id, apiKey } = formatApiKey(mode, idBytes, secret);
      expect(readApiKeyId(apiKey, mode)).toBe(id);
      expect(readApiKeyId(apiKey, mode === "live" ? "test" : "live")).toBeNull();
    });
    fc.assert(property);
  });

  test("refuses a key with one changed character", () => {
    const anyReplacement = fc.constantFrom(..."0123456789abcdefXYZ_ 1l");
    const property = fc.property(anyKeyParts, fc.nat(exampleKey.length - 1), anyReplacement, (parts, index, char) => {
      const { apiKey } = formatApiKey(parts.mode, parts.idBytes, parts.secret);
      fc.pre(apiKey[index] !== char);
      expect(readApiKeyId(apiKey.slice(0, index) + char + apiKey.slice(index + 1), parts.mode)).toBeNull();
    });
    fc.assert(property, { numRuns: 300 });
  });

  test("refuses a key with swapped neighbours, or with a dropped or doubled character", () => {
    for (let index = 0; index < exampleKey.length; index++) {
      const [before, char, after] = [exampleKey.slice(0, index), exampleKey[index]!, exampleKey.slice(index + 1)];
      expect(readApiKeyId(before + after, "test")).toBeNull();
      expect(readApiKeyId(before + char + char + after, "test")).toBeNull();
      const swapped = before + after.slice(0, 1) + char + after.slice(1);
      if (swapped !== exampleKey) expect(readApiKeyId(swapped, "test")).toBeNull();
    }
  });

  test("refuses a key whose mode was edited, because its checksum no longer matches", () => {
    expect(readApiKeyId(exampleKey.replace("ru_test_", "ru_live_"), "live")).toBeNull();
  });

  test.each([
    ["an empty text", ""],
    ["the prefix alone", "ru_test_"],
    ["upper case", exampleKey.toUpperCase()],
    ["a space before", ` ${exampleKey}`],
    ["a line break after", `${exampleKey}\n`],
    ["another line before", `x\n${exampleKey}`],
    ["a key written twice", exampleKey + exampleKey],
    ["a megabyte", "ru_test_".repeat(131_072)],
  ])("refuses %s", (_caseName, text) => {
    expect(readApiKeyId(text, "test")).toBeNull();
  });
});

test("a key's hash is SHA-256 of its text in hex", () => {
  expect(hashApiKey(exampleKey)).toBe(createHash("sha256").update(exampleKey).digest("hex"));
  expect(hashApiKey(exampleKey)).not.toBe(hashApiKey(`${exampleKey} `));
});
