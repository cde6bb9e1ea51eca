import { describe, expect, test } from "vitest";
import { createHermesSource, createPythAccountSource, PYTH_ACCOUNTS } from "@/lib/cli/price-check/sources";
import { PYTH_FEEDS } from "@/lib/domain/prices/pyth-feeds";
import { toBase64 } from "@/lib/solana/bytes";
import { PYTH_RECEIVER_PROGRAM } from "@/lib/solana/pyth-price";
import { createFetchStub } from "../../../support/client/fetch-stub";
import { SOL_ACCOUNT, SOL_PRICE, withBytesAt } from "../../../support/fixtures/pyth-account";

describe("the Pyth account price source", () => {
  const createAccount = (bytes: Uint8Array = SOL_ACCOUNT, owner = PYTH_RECEIVER_PROGRAM) => ({
    owner,
    data: [toBase64(bytes), "base64"],
  });
  /** Starts a read of SOL and BTC from a node that answers with these accounts. */
  const readPrices = (...value: unknown[]) => {
    const { fetch, requests } = createFetchStub({ jsonrpc: "2.0", id: 1, result: { context: { slot: 1 }, value } });
    const source = createPythAccountSource("https://node.example", fetch);
    return { prices: source.readPrices(["SOL", "BTC"]), requests };
  };

  test.each<[string, unknown]>([
    ["an account owned by another program", createAccount(SOL_ACCOUNT, PYTH_ACCOUNTS.SOL)],
    ["the account of another feed", createAccount(withBytesAt(41, 1))],
    ["a partially verified price", createAccount(withBytesAt(40, 0))],
    ["a price of zero", createAccount(withBytesAt(73, 0, 0, 0, 0, 0, 0, 0, 0))],
    ["a negative price", createAccount(withBytesAt(80, 255))],
    ["an exponent out of range", createAccount(withBytesAt(89, 255, 255, 255, 127))],
    ["invalid base64", { owner: PYTH_RECEIVER_PROGRAM, data: ["?", "base64"] }],
    ["no data", { owner: PYTH_RECEIVER_PROGRAM, data: null }],
    ["no account", null],
  ])("ignores %s", async (_caseName, value) => {
    expect(await readPrices(value, null).prices).toEqual({});
  });

  test.each<[string, unknown]>([
    ["an error", { error: { code: -32005, message: "busy" } }],
    ["null", null],
    ["an unexpected format", { result: { value: "x" } }],
  ])("returns no price when the node answers with %s", async (_caseName, answer) => {
    const source = createPythAccountSource("https://node.example", createFetchStub(answer).fetch);
    expect(await source.readPrices(["SOL"])).toEqual({});
  });
});

describe("the Hermes price source", () => {
  const entry = {
    id: PYTH_FEEDS.SOL,
    price: { price: "7609640500", conf: "4347230", expo: -8, publish_time: 1_786_657_207 },
  };

  test("sends the key with its request, which follows no redirect", async () => {
    const { fetch, requests } = createFetchStub({ parsed: [entry] });
    expect(await createHermesSource("secret", fetch).readPrices(["SOL", "USDC"])).toEqual({ SOL: SOL_PRICE });
    expect(requests[0]!.address).toContain(`ids[]=${PYTH_FEEDS.SOL}&ids[]=${PYTH_FEEDS.USDC}`);
    expect(requests[0]!.init).toMatchObject({ headers: { authorization: "Bearer secret" }, redirect: "error" });
  });

  test.each<[string, unknown, number]>([
    ["rejects the key", {}, 403],
    ["returns an unexpected format", { parsed: [{ ...entry, price: { ...entry.price, price: "-1" } }] }, 200],
    ["returns too much data", { parsed: [], filling: "x".repeat(300_000) }, 200],
  ])("throws when the server %s", async (_caseName, answer, status) => {
    const source = createHermesSource("secret", createFetchStub(answer, status).fetch);
    await expect(source.readPrices(["SOL"])).rejects.toThrow();
  });
});
