import { expect, test } from "vitest";
import { parseRecipients } from "@/app/_client/local-storage/recipients";

const ADDRESS = "7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs";

test("reads at most five recipients, and drops every invalid entry", () => {
  const good = { address: ADDRESS, day: "2026-05-03" };
  const list = [
    good,
    { address: "<img>", day: "2026-05-03" },
    { address: ADDRESS, day: 3 },
    null,
    ...Array(9).fill(good),
  ];
  expect(parseRecipients(JSON.stringify({ list }))).toEqual(Array(5).fill(good));
});

test.each([null, "", "[]", '{"list":"x"}', "{"])("reads %j as no recipients", (text) => {
  expect(parseRecipients(text)).toEqual([]);
});
