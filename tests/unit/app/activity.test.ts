import { expect, test } from "vitest";
import { createHistoryReader } from "@/app/_client/reads/activity";

/** A service whose wallet has `count` transactions, newest first, and what it was asked. */
function service(count: number) {
  const asked: string[] = [];
  const state = { count };
  const get = async (path: string) => {
    asked.push(path);
    const { searchParams } = new URL(path, "https://roundup.example");
    const before = Number(searchParams.get("before") ?? state.count + 1);
    const numbers = Array.from({ length: Math.min(50, before - 1) }, (_, i) => before - 1 - i);
    const last = numbers.at(-1) ?? 1;
    return {
      walletAddress: "wallet",
      network: "sandbox",
      items: numbers.map((number) => ({ txSignature: String(number) })),
      nextBefore: last > 1 ? String(last) : null,
    } as never;
  };
  return { read: createHistoryReader(get), asked, state };
}

test("one view reads one page, however long the history is", async () => {
  const { read, asked } = service(180);
  expect(await read("wallet")).toMatchObject({ complete: false });
  expect(asked).toHaveLength(1);
});

test("each read after it goes on where the one before stopped, until all is known, each transaction once", async () => {
  const { read, asked, state } = service(180);
  await read("wallet");
  state.count = 183;
  let history = await read("wallet");
  while (!history.complete) history = await read("wallet");
  expect(history.items.map(({ txSignature }) => Number(txSignature))).toEqual(
    Array.from({ length: 183 }, (_, i) => 183 - i),
  );
  expect(asked).toHaveLength(1 + 3 * 2);
  await read("wallet");
  expect(asked, "what is whole is not read again").toHaveLength(8);
});

test("it stops at 200, and says that it is not whole", async () => {
  const { read, asked } = service(1_000);
  for (let i = 0; i < 10; i++) await read("wallet");
  const before = asked.length;
  const history = await read("wallet");
  expect(asked.length - before).toBe(1);
  expect(history).toMatchObject({ complete: false });
  expect(history.items).toHaveLength(200);
});
