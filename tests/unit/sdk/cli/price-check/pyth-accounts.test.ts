import { describe, expect, test } from "vitest";
import { PYTH_ACCOUNTS, pythAccounts } from "@/lib/sdk/cli/price-check/pyth-accounts";
import { toBase64 } from "@/lib/solana/bytes";
import { PYTH_RECEIVER_PROGRAM } from "@/lib/solana/pyth-price";
import { answering } from "../../../../support/client/answering";
import { changedAt, SAID, SOL_ACCOUNT } from "../../../../support/fixtures/pyth-account";

describe("Pyth's accounts over the caller's own node", () => {
  const account = (bytes: Uint8Array = SOL_ACCOUNT, owner = PYTH_RECEIVER_PROGRAM) => ({
    owner,
    data: [toBase64(bytes), "base64"],
  });
  const pricesOf = (...value: unknown[]) => {
    const { fetch, seen } = answering({ jsonrpc: "2.0", id: 1, result: { context: { slot: 1 }, value } });
    return { prices: pythAccounts("https://node.example/?key=k", fetch).prices(["SOL", "BTC"]), seen };
  };

  test("are asked for in one call, without following a redirect, and read", async () => {
    const { prices, seen } = pricesOf(account(), null);
    expect(await prices).toEqual({ SOL: SAID });
    expect(seen).toHaveLength(1);
    expect(JSON.parse(String(seen[0]!.init.body))).toMatchObject({
      method: "getMultipleAccounts",
      params: [[PYTH_ACCOUNTS.SOL, PYTH_ACCOUNTS.BTC], { encoding: "base64" }],
    });
    expect(seen[0]!.init.redirect).toBe("error");
  });

  test.each<[string, unknown]>([
    ["one that another program owns", account(SOL_ACCOUNT, PYTH_ACCOUNTS.SOL)],
    ["one of another feed", account(changedAt(41, 1))],
    ["one that few guardians signed", account(changedAt(40, 0))],
    ["a price of nothing", account(changedAt(73, 0, 0, 0, 0, 0, 0, 0, 0))],
    ["a price below nothing", account(changedAt(80, 255))],
    ["an exponent beyond reason", account(changedAt(89, 255, 255, 255, 127))],
    ["no base64", { owner: PYTH_RECEIVER_PROGRAM, data: ["?", "base64"] }],
    ["no data", { owner: PYTH_RECEIVER_PROGRAM, data: null }],
    ["no account", null],
  ])("%s has no price", async (_what, value) => {
    expect(await pricesOf(value, null).prices).toEqual({});
  });

  test.each<[string, unknown]>([
    ["an error", { error: { code: -32005, message: "busy" } }],
    ["nothing", null],
    ["a list of something else", { result: { value: "x" } }],
  ])("a node that answers %s has no price", async (_what, answer) => {
    expect(await pythAccounts("https://node.example", answering(answer).fetch).prices(["SOL"])).toEqual({});
  });
});
