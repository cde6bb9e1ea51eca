import { expect, test } from "vitest";
import type { Io } from "@/lib/cli/io";
import { runPayment } from "@/lib/cli/run-payment";
import type { Result } from "@/lib/sdk/flow/run-flow";

const landedTransactions = [{ label: "Change of $4.02", about: "one", txSignature: "sig" }];
const build = { ready: true, reason: null };

test.each<[Result<string, typeof build>, number]>([
  [{ status: "refused", reason: "Paused.", build, transactions: landedTransactions }, 3],
  [{ status: "cancelled", transactions: landedTransactions }, 4],
  [{ status: "failed", error: new Error("Declined."), transactions: landedTransactions }, 1],
  [{ status: "elsewhere", error: new Error("Saved."), transactions: landedTransactions }, 3],
])("a payment prints the transactions that have landed when the rest is $status", async (result, exitCode) => {
  const lines: string[] = [];
  const io = { print: (line) => void lines.push(line), say: (line) => void lines.push(line) } as Io;
  expect(await runPayment({ yes: true }, io, { run: async () => result, toRows: () => [] })).toBe(exitCode);
  expect(lines[0]).toBe("Change of $4.02: sig");
  expect(lines).not.toContain("Nothing was signed.");
});

test("a payment prints the transactions that have landed before it asks about the rest", async () => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const ask = async () => print("asked");
  const io = { print, say: print, ask } as unknown as Io;
  await runPayment({}, io, {
    async run(confirm) {
      await confirm(build, null, landedTransactions);
      return { status: "cancelled", transactions: landedTransactions };
    },
    toRows: () => [["rest", "$2.01"]],
  });
  expect(lines.slice(0, 4)).toEqual([
    "Change of $4.02: sig",
    expect.stringContaining("not paid again"),
    expect.stringContaining("$2.01"),
    "asked",
  ]);
});
