import { describe, expect, test } from "vitest";
import { aPerson } from "../../../support/client/cli-person";
import { runTold } from "../../../support/client/cli-rig";
import type { Answer, aService } from "../../../support/worlds/sdk-service";

const executed = ({ sent }: ReturnType<typeof aService>) => sent().length;

describe("money", () => {
  test("a saving shows what leaves, arrives and is paid, asks, and names what has landed", async () => {
    const { service, run } = await aPerson();
    const questions: string[] = [];
    const { code, printed } = await run(["save", "4.02", "$27.03", "--plan", "forest"], {
      ask: async (question) => {
        questions.push(question);
        expect(executed(service)).toBe(0);
        return "y";
      },
    });
    expect(code).toBe(0);
    expect(questions).toEqual(["Sign and send it? [y/N] "]);
    for (const part of [
      /^Saves +\$1\.95 \(0\.013 SOL\)$/,
      /^Leaves your wallet +0\.013\d* SOL/,
      /^Arrives in your service wallet +0\.0129675 SOL$/,
      /^Service fee +\$0\.004875 \(0\.25 %/,
      /^Network fee/,
      /^Change of \$1\.95: \w{80,}$/,
    ])
      expect(
        printed.some((line) => part.test(line)),
        `${part}`,
      ).toBe(true);
  });

  test("where nobody can be asked it needs --yes, and after a no nothing is signed", async () => {
    const { service, run } = await aPerson();
    expect((await run(["save", "4.02"])).code).toBe(2);
    expect((await run(["save", "4.02"], { ask: async () => "" })).code).toBe(4);
    expect((await run(["save", "4.02", "--dry-run"])).code).toBe(0);
    expect(executed(service)).toBe(0);
  });

  test("--json answers one document, without bytes; so does what failed", async () => {
    const { run } = await aPerson("landed", { status: 422, code: "transaction_failed" });
    const saved = await run(["topup", "5", "--yes", "--json"]);
    expect(JSON.parse(saved.printed.join("\n"))).toMatchObject({
      status: "done",
      build: { breakdown: { roundUpUsd: 5 } },
      transactions: [{ txSignature: expect.any(String) }],
    });
    expect(saved.printed.join("\n")).not.toContain("base64");
    const failed = await run(["save", "4.02", "--yes", "--json"]);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.printed.join("\n"))).toMatchObject({
      status: "failed",
      error: { code: "transaction_failed" },
    });
  });

  test("a purchase, a sale and a withdrawal show their own figures", async () => {
    const { run } = await aPerson();
    const shown = async (...argv: string[]) => (await run([...argv, "--yes"])).printed.join("\n");
    expect(await shown("invest")).toMatch(/0\.1 SOL +→ 0\.00015 BTC, at least 0\.00015/);
    expect(await shown("sell", "btc", "0.0001", "--into", "USDC")).toMatch(/0\.0001 BTC +→ [\d.]+ USDC, at least/);
    expect(await shown("withdraw")).toMatch(/Sends +0\.000007 SOL/);
  });

  test("what another device has saved exits 3 and says so, and never that nothing was sent", async () => {
    const { run } = await aPerson("lost", { status: 409, code: "already_saved" });
    const { code, said } = await run(["save", "4.02", "--yes"]);
    expect(code).toBe(3);
    expect(said.at(-1)).toBe("Another device or program was first. It is already_saved. It is not sent twice.");
    expect((await run(["save", "4.02", "--yes"])).code).toBe(0);
  });

  test("an outcome that nobody knows exits 5, and the next run asks for it before it builds", async () => {
    const { service, run } = await aPerson(...Array<Answer>(6).fill("lost"));
    expect((await run(["save", "4.02", "--yes"])).code).toBe(5);
    const [first] = service.sent();
    expect((await run(["save", "4.02", "--yes"])).code).toBe(0);
    expect(new Set(service.sent())).toEqual(new Set([first]));
  });
});

test("a key file that is not there is named, with what makes one", async () => {
  const { code, said } = await runTold(["status", "--keypair", "nowhere/id.json"]);
  expect(code).toBe(2);
  expect(said.join("\n")).toContain("solana-keygen new -o nowhere/id.json");
});

test("a sign-in goes over plain http to nobody but a sandbox", async () => {
  const { service, run } = await aPerson();
  const asked: string[] = [];
  const fetch: typeof service.fetch = async (url, init) => {
    asked.push(`${url}`);
    return service.fetch!(url, init);
  };
  const elsewhere = ["status", "--url", "http://roundup.example"];
  const { code, said } = await run(elsewhere, { fetch });
  expect({ code, said: said.join("\n"), asked }).toEqual({
    code: 2,
    said: expect.stringContaining("https"),
    asked: [],
  });
  expect((await run([...elsewhere, "--origin", "sandbox"], { fetch })).code).toBe(0);
  expect(asked.length).toBeGreaterThan(0);
});

test.each([
  [["save", "four"]],
  [["save", "4", "--plan", "oak"]],
  [["invest", "--allocation", "BTC:60,ETH:30", "--yes"]],
  [["invest", "--allocation", "BTC:50,BTC:50", "--yes"]],
  [["sell", "BTC", "0.123456789", "--yes"]],
  [["withdraw", "DOGE", "--yes"]],
  [["status", "--url", "nowhere"]],
  [["status", "--origin", "roundup.example"]],
  [["watch"]],
  [["watch", "--yes", "--weekly", "20", "--max-per-day", "10"]],
  [["watch", "--yes", "--multiplier", "10", "--max-per-day", "5"]],
  [["watch", "--yes", "--interval", "1"]],
  [["save", "4", "--frobnicate"]],
])("%j is refused in a sentence", async (argv) => {
  const { service, run } = await aPerson();
  const { code, printed, said } = await run(argv);
  expect({ code, printed }).toEqual({ code: 2, printed: [] });
  expect(said.join("\n")).toMatch(/\w/);
  expect(executed(service)).toBe(0);
});
