import { expect, test } from "vitest";
import { readAddress, removeInvisible } from "@/app/_components/typed-text";

const ADDRESS = "So11111111111111111111111111111111111111112";

test.each([
  ["white space", ` ${ADDRESS}\n`],
  ["line breaks inside", `${ADDRESS.slice(0, 20)}\r\n${ADDRESS.slice(20)}`],
  ["characters without a width", `\u2066${ADDRESS.slice(0, 9)}\u200b${ADDRESS.slice(9)}\ufeff\u2069`],
  ["the scheme of a payment link", `solana:${ADDRESS}`],
  ["the parameters of a payment link", `SOLANA:${ADDRESS}?amount=1&label=Shop`],
])("an address is read from a text with %s", (_caseName, text) => {
  expect(readAddress(text)).toBe(ADDRESS);
});

test("a text that is not an address stays recognizable", () => {
  expect(readAddress("https://example.com/?a=1")).toBe("https://example.com/?a=1");
  expect(removeInvisible("5\u00a0\u202f000\u00ad")).toBe("5000");
});
