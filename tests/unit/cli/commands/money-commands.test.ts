import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Io } from "../../../../lib/cli/io";
import { runPayment } from "../../../../lib/cli/run-payment";
import type { Result } from "../../../../lib/sdk/flow/run-flow";
import { createCliUser, runCommand } from "../../../support/client/cli-user";
import { createFolderForTest } from "../../../support/store/temp-folder";
import { user } from "../../../support/worlds/relay-rig";
import type { Answer } from "../../../support/worlds/sdk-service";
import { stageUsdcWallet } from "../../../support/worlds/usdc-programs";

const ALREADY_SAVED: Answer = { status: 409, code: "already_saved" };
const TRANSACTION_FAILED: Answer = { status: 422, code: "transaction_failed" };

describe("exit codes and JSON output", () => {
  /** More lost answers than the command retries in one run. */
  const lostAnswers: Answer[] = Array(6).fill("lost");
  test.each<[string, string[], Answer[], number, string]>([
    ["a saving that landed", ["save", "4.02"], [], 0, "done"],
    ["a top-up that landed", ["topup", "5", "--period", "2026-W47"], [], 0, "done"],
    ["an investment", ["invest", "--allocations", "BTC:100"], [], 0, "done"],
    ["a sale", ["sell", "btc", "0.0001", "--into", "USDC"], [], 0, "done"],
    ["a withdrawal", ["withdraw"], [], 0, "done"],
    ["an allowance", ["allowance", "set", "25"], [], 0, "done"],
    ["an investment that failed on the chain", ["invest"], [TRANSACTION_FAILED], 1, "failed"],
    ["a withdrawal that failed once and is rebuilt", ["withdraw"], [TRANSACTION_FAILED], 0, "done"],
    ["a withdrawal that fails both times", ["withdraw"], [TRANSACTION_FAILED, TRANSACTION_FAILED], 1, "failed"],
    ["a top-up that another device has made", ["topup", "5", "--period", "w"], [ALREADY_SAVED], 3, "elsewhere"],
    ["an unknown outcome", ["invest"], lostAnswers, 5, "unknown"],
  ])("match the outcome of %s", async (_caseName, argv, answers, exitCode, status) => {
    const { run } = createCliUser(...answers);
    const { outputLines, ...ended } = await run([...argv, "--yes", "--json"]);
    const document = JSON.parse(outputLines.join("\n"));
    expect({ exitCode: ended.exitCode, status: document.status }).toEqual({ exitCode, status });
    expect(document.transactions).toHaveLength(exitCode === 0 ? 1 : 0);
    expect("error" in document).toBe(exitCode !== 0);
    expect(outputLines.join("\n")).not.toMatch(/base64|"(unsigned|ready|blocked|about)"/);
    if (argv[0] === "topup") expect(outputLines.join("\n")).not.toMatch(/txValueUsd|roundToUsd|multiplier|skipped/);
  });

  test("are 6 and `earlier` while an earlier request is unresolved", async () => {
    const { run, service } = createCliUser(...lostAnswers);
    await run(["topup", "5", "--yes"]);
    const { exitCode, outputLines } = await run(["topup", "7", "--yes", "--json"]);
    expect([exitCode, JSON.parse(outputLines.join("\n"))]).toMatchObject([
      6,
      { status: "earlier", request: { amountUsd: 5 }, outcome: "landed", transactions: [{ label: "Top-up of $5.00" }] },
    ]);
    expect(new Set(service.listSentTransactions()).size).toBe(1);
    expect((await run(["topup", "7", "--yes"])).exitCode).toBe(0);
  });

  test("are 0 and `shown` for --dry-run, and 4 and `cancelled` after a no", async () => {
    const { run, service } = createCliUser();
    const readStatus = async (argv: string[], overrides = {}) => {
      const { exitCode, outputLines } = await run([...argv, "--json"], overrides);
      return [exitCode, JSON.parse(outputLines.join("\n")).status];
    };
    for (const command of [
      "save 4.02",
      "topup 5",
      "invest",
      "sell BTC 0.0001 --into USDC",
      "withdraw",
      "allowance set 25",
    ]) {
      const argv = command.split(" ");
      expect(await readStatus([...argv, "--dry-run"])).toEqual([0, "shown"]);
      expect(await readStatus(argv, { ask: async () => "n" })).toEqual([4, "cancelled"]);
    }
    expect(service.listSentTransactions()).toEqual([]);
  });

  test.each([
    ["USDC that reaches the threshold alone", 5_000_000n, "", /^15 USDC/],
    ["SOL if USDC falls short of the threshold", 4_999_999n, "", /^0\.1 SOL/],
    ["SOL if USDC is to be bought too", 500_000_000n, "--allocations BTC:50,USDC:50", null],
    ["SOL in a run that does not ask", 500_000_000n, "--yes", /^0\.1 SOL/],
    ["USDC in such a run that names it", 0n, "--yes --pay-with usdc", /^15 USDC/],
    ["SOL that is named", 500_000_000n, "--pay-with SOL", /^0\.1 SOL/],
  ])("are of a purchase that spends %s", async (_caseName, units, options, shownInput) => {
    const { run, service } = createCliUser();
    service.savedUsdc.units = units;
    const { outputLines } = await run(["invest", ...options.split(" ").filter(Boolean)], { ask: async () => "n" });
    if (shownInput) expect(outputLines.join("\n")).toMatch(new RegExp(shownInput, "m"));
    else expect(outputLines.join("\n")).not.toContain("15 USDC");
  });

  test("are 3 and the reason when there is nothing to do", async () => {
    const { run } = createCliUser();
    const { exitCode, outputLines } = await run(["save", "5", "10", "--yes", "--json"]);
    const document = JSON.parse(outputLines.join("\n"));
    expect([exitCode, document]).toMatchObject([3, { status: "refused", reason: expect.stringMatching(/\w/) }]);
  });

  test("are 1 and an error when the service is unreachable", async () => {
    const { run } = createCliUser();
    const fetch = async () => {
      throw new TypeError("fetch failed");
    };
    for (const argv of [["status"], ["activity"], ["save", "4.02", "--yes"]]) {
      const text = await run(argv, { fetch });
      expect([text.exitCode, text.errorLines.length > 0]).toEqual([1, true]);
      const json = await run([...argv, "--json"], { fetch });
      expect([json.exitCode, JSON.parse(json.outputLines.join("\n"))]).toMatchObject([
        1,
        { error: { code: "offline" } },
      ]);
    }
  });
});

test("a machine without the wallet's key saves in USDC by allowance, with the service wallet's key file alone", async () => {
  const world = await stageUsdcWallet();
  const home = createFolderForTest();
  const [userKey, serviceKey] = [join(home, "id.json"), join(home, "service.json")];
  writeFileSync(userKey, JSON.stringify([...user.keys.secretKey]));
  const run = (...argv: string[]) => {
    const { fetch, deps } = world;
    const globals = ["--url", "http://roundup.invalid", "--origin", "sandbox", "--yes"];
    return world.run(runCommand([...argv, ...globals], { home, fetch, clock: deps.clock }));
  };
  const writeKey = ["address", "--keypair", userKey, "--write-key", serviceKey];
  expect(await run(...writeKey)).toMatchObject({ exitCode: 0 });
  expect(statSync(serviceKey).mode & 0o777).toBe(0o600);
  expect(await run(...writeKey), "the file is never overwritten").toMatchObject({ exitCode: 2 });

  const keyless = ["--keypair", serviceKey, "--wallet", user.address];
  const save = ["save", "10.40", "--plan", "forest"];
  expect(await run(...save, ...keyless), "the user's own wallet cannot sign").toMatchObject({ exitCode: 2 });
  expect(await run(...save, "--allowance", "--keypair", userKey, "--wallet", user.address)).toMatchObject({
    exitCode: 2,
  });
  const { exitCode, outputLines } = await run(...save, "--allowance", ...keyless);
  expect([exitCode, outputLines]).toEqual([
    0,
    [
      /^Saves +\$0\.60 \(0\.6 USDC\)$/,
      /^Leaves your wallet +0\.6 USDC$/,
      /^Arrives in your savings wallet +0\.5985 USDC$/,
      /^Service fee +\$0\.0015 \(0\.25 %, 0\.0015 USDC\)$/,
      /^Network fee +0\.000005 SOL, at most$/,
      /^Deposit to open its USDC account +0\.00\d+ SOL, at most; it stays yours$/,
      /^Signs, and pays the SOL +your savings wallet, by your allowance$/,
      /^Change of \$0\.60: \w{80,}$/,
    ].map((line) => expect.stringMatching(line)),
  ]);
  expect(world.readUnits(world.serviceWallet)).toBe(598_500n);
});

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
