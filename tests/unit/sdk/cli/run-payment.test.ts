import { expect, test } from "vitest";
import type { Io } from "@/lib/sdk/cli/io";
import { runPayment } from "@/lib/sdk/cli/run-payment";
import type { Result } from "@/lib/sdk/flow/drive";

const transactions = [{ label: "Change of $4.02", about: "one", txSignature: "sig" }];
const build = { ready: true, reason: null };

test.each<[Result<string, typeof build>, number]>([
  [{ status: "refused", reason: "Paused.", build, transactions }, 3],
  [{ status: "cancelled", transactions }, 4],
  [{ status: "failed", error: new Error("Declined."), transactions }, 1],
  [{ status: "elsewhere", error: new Error("Saved."), transactions }, 3],
])("prints the transactions that landed before when the rest is $status", async (result, code) => {
  const lines: string[] = [];
  const io = { print: (line) => void lines.push(line), say: (line) => void lines.push(line) } as Io;
  expect(await runPayment({ yes: true }, io, { run: async () => result, toFigures: () => [] })).toBe(code);
  expect(lines[0]).toBe("Change of $4.02: sig");
  expect(lines).not.toContain("Nothing was signed.");
});

test("prints the transactions that landed before it asks about the rest", async () => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const ask = async () => print("asked");
  const io = { print, say: print, ask } as unknown as Io;
  await runPayment({}, io, {
    async run(confirm) {
      await confirm(build, null, transactions);
      return { status: "cancelled", transactions };
    },
    toFigures: () => [["rest", "$2.01"]],
  });
  expect(lines.slice(0, 4)).toEqual([
    "Change of $4.02: sig",
    expect.stringContaining("not paid again"),
    expect.stringContaining("$2.01"),
    "asked",
  ]);
});
