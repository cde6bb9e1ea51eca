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
])(
  "names the transactions that landed before when the rest is $status, and never claims that nothing was signed",
  async (result, code) => {
    const said: string[] = [];
    const io = { print: (line) => void said.push(line), say: (line) => void said.push(line) } as Io;
    expect(await runPayment({ yes: true }, io, { run: async () => result, toFigures: () => [] })).toBe(code);
    expect(said[0]).toBe("Change of $4.02: sig");
    expect(said).not.toContain("Nothing was signed.");
  },
);

test("names the transactions that landed before it asks about the rest", async () => {
  const said: string[] = [];
  const note = (line: string) => void said.push(line);
  const ask = async () => note("asked");
  const io = { print: note, say: note, ask } as unknown as Io;
  await runPayment({}, io, {
    async run(confirm) {
      await confirm(build, null, transactions);
      return { status: "cancelled", transactions };
    },
    toFigures: () => [["rest", "$2.01"]],
  });
  expect(said.slice(0, 4)).toEqual([
    "Change of $4.02: sig",
    expect.stringContaining("not paid again"),
    expect.stringContaining("$2.01"),
    "asked",
  ]);
});
