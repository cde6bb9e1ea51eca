import { describe, expect, test, vi } from "vitest";
import { createCliUser } from "../../../support/client/cli-user";
import { PRICES_USD, setPrices } from "../../../support/fakes/fake-deps";

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
