import { expect, test } from "vitest";
import { parseRecipients } from "@/app/_client/local-storage/recipients";

const ADDRESS = "7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs";

test("the page reads at most five valid recipients", () => {
  const recipient = { address: ADDRESS, day: "2026-05-03" };
  const list = [
    recipient,
    { address: "<img>", day: "2026-05-03" },
    { address: ADDRESS, day: 3 },
    null,
    ...Array(9).fill(recipient),
  ];
  expect(parseRecipients(JSON.stringify({ list }))).toEqual(Array(5).fill(recipient));
});

test.each([null, "", "[]", '{"list":"x"}', "{"])("the page reads the stored text %j as no recipients", (text) => {
  expect(parseRecipients(text)).toEqual([]);
});
