import { describe, expect, test, vi } from "vitest";
import { createHermesSource, createPythAccountSource, PYTH_ACCOUNTS } from "@/lib/cli/price-check";
import { PYTH_FEEDS } from "@/lib/domain/prices/pyth-feeds";
import type { Fetch } from "@/lib/sdk/platform";
import { toBase64 } from "@/lib/solana/bytes";
import { PYTH_RECEIVER_PROGRAM } from "@/lib/solana/pyth-price";
import { createCliUser } from "../../support/client/cli-user";
import { PRICES_USD, setPrices } from "../../support/fakes/fake-deps";
import { SOL_ACCOUNT, SOL_PRICE, withBytesAt } from "../../support/fixtures/pyth-account";

/** Creates a fetch that always returns this answer as JSON. Also returns the requests that the fetch receives. */
function createFetchStub(answer: unknown, status = 200) {
  const requests: { address: string; init: RequestInit }[] = [];
  const fetch: Fetch = async (address, init) => {
    requests.push({ address, init });
    return Response.json(answer, { status });
  };
  return { fetch, requests };
}

/** Creates a user who topped up with SOL at $150. The service then reports $75. */
async function createUserWithDoubtfulPrice() {
  const cliUser = createCliUser();
  const { service, run } = cliUser;
  expect((await run(["topup", "5", "--yes"])).exitCode).toBe(0);
  service.prices.SOL = 75;
  setPrices(service.deps, { usd: { ...PRICES_USD, SOL: 75 } });
  return { ...cliUser, countSent: () => service.listSentTransactions().length - 1 };
}

describe("a price that moved too far", () => {
  test("is not accepted by --yes, so the command exits 3 with the reason", async () => {
    const { run, countSent } = await createUserWithDoubtfulPrice();
    const { exitCode, errorLines } = await run(["topup", "5", "--yes"]);
    expect([exitCode, countSent()]).toEqual([3, 0]);
    expect(errorLines.join("\n")).toMatch(/SOL costs \$75\.00\. It was \$150\.00/);
    const { outputLines } = await run(["topup", "5", "--yes", "--json"]);
    expect(JSON.parse(outputLines.join("\n"))).toMatchObject({
      status: "refused",
      reason: expect.stringContaining("$75"),
    });
  });

  test("needs a yes at the terminal, even with --yes", async () => {
    const { run, countSent } = await createUserWithDoubtfulPrice();
    const ask = vi.fn().mockResolvedValueOnce("n").mockResolvedValueOnce("y");
    expect((await run(["topup", "5", "--yes"], { ask })).exitCode).toBe(3);
    expect([countSent(), ask.mock.calls]).toEqual([0, [["Is that price right? [y/N] "]]]);
    expect((await run(["topup", "5", "--yes"], { ask })).exitCode).toBe(0);
    expect(countSent()).toBe(1);
  });

  test("is accepted by --accept-price for this and later payments", async () => {
    const { run, countSent } = await createUserWithDoubtfulPrice();
    expect((await run(["topup", "5", "--yes", "--accept-price"])).exitCode).toBe(0);
    expect((await run(["topup", "5", "--yes"])).exitCode).toBe(0);
    expect(countSent()).toBe(2);
  });

  test("makes `prices` exit with 3 and show both prices until the user accepts it", async () => {
    const { run } = await createUserWithDoubtfulPrice();
    const { exitCode, outputLines, errorLines } = await run(["prices"]);
    expect(exitCode).toBe(3);
    expect(outputLines.join("\n")).toMatch(/SOL +\$75\.00, confirmed before: \$150\.00/);
    expect(errorLines.join("\n")).toContain("Nothing is signed until");
    expect((await run(["prices", "--accept-price"])).exitCode).toBe(0);
    expect((await run(["prices"])).exitCode).toBe(0);
    expect((await run(["topup", "5", "--yes"])).exitCode).toBe(0);
  });
});

test.each([
  [["--price-check", "hermes"], "ROUNDUP_HERMES_KEY"],
  [["--price-check", "rpc"], "--rpc"],
  [["--price-check", "rpc", "--rpc", "no address"], "--rpc"],
])("the arguments %j are refused, and the message names %s", async (argv, optionName) => {
  const { run, service } = createCliUser();
  const { exitCode, errorLines } = await run(["topup", "5", "--yes", ...argv]);
  expect([exitCode, service.listSentTransactions()]).toEqual([2, []]);
  expect(errorLines.join("\n")).toContain(optionName);
});

test("a second source confirms a price without the user", async () => {
  const { service, run, countSent } = await createUserWithDoubtfulPrice();
  const env = { ROUNDUP_HERMES_KEY: "key" };
  const createFetch = (usd: number) => async (address: string, init: RequestInit) => {
    if (!address.startsWith("https://pyth.dourolabs.app/")) return service.fetch!(address, init);
    const [id] = new URL(address).searchParams.getAll("ids[]");
    const publish_time = Math.floor(service.clock.now() / 1000);
    return Response.json({ parsed: [{ id, price: { price: `${usd * 100}`, conf: "1", expo: -2, publish_time } }] });
  };
  const argv = ["topup", "5", "--yes", "--price-check", "hermes"];
  expect((await run(argv, { env, fetch: createFetch(100) })).exitCode).toBe(3);
  expect((await run(argv, { env, fetch: createFetch(76) })).exitCode).toBe(0);
  expect(countSent()).toBe(1);
});

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
