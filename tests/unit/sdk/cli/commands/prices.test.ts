import { describe, expect, test, vi } from "vitest";
import { createPerson } from "../../../../support/client/cli-person";
import { PRICES_USD, setPrices } from "../../../../support/fakes/fake-deps";

/** Creates a user who topped up with SOL at $150. The service then reports $75. */
async function createPersonWithDoubtfulPrice() {
  const person = await createPerson();
  const { service, run } = person;
  expect((await run(["topup", "5", "--yes"])).code).toBe(0);
  service.prices.SOL = 75;
  setPrices(service.deps, { usd: { ...PRICES_USD, SOL: 75 } });
  return { ...person, countSent: () => service.listSent().length - 1 };
}

describe("a price that moved too far", () => {
  test("is not accepted by --yes, so the command exits 3 with the reason", async () => {
    const { run, countSent } = await createPersonWithDoubtfulPrice();
    const { code, said } = await run(["topup", "5", "--yes"]);
    expect([code, countSent()]).toEqual([3, 0]);
    expect(said.join("\n")).toMatch(/SOL costs \$75\.00\. It was \$150\.00/);
    const { printed } = await run(["topup", "5", "--yes", "--json"]);
    expect(JSON.parse(printed.join("\n"))).toMatchObject({ status: "refused", reason: expect.stringContaining("$75") });
  });

  test("needs a yes at the terminal, even with --yes", async () => {
    const { run, countSent } = await createPersonWithDoubtfulPrice();
    const ask = vi.fn().mockResolvedValueOnce("n").mockResolvedValueOnce("y");
    expect((await run(["topup", "5", "--yes"], { ask })).code).toBe(3);
    expect([countSent(), ask.mock.calls]).toEqual([0, [["Is that price right? [y/N] "]]]);
    expect((await run(["topup", "5", "--yes"], { ask })).code).toBe(0);
    expect(countSent()).toBe(1);
  });

  test("is accepted by --accept-price for this and later payments", async () => {
    const { run, countSent } = await createPersonWithDoubtfulPrice();
    expect((await run(["topup", "5", "--yes", "--accept-price"])).code).toBe(0);
    expect((await run(["topup", "5", "--yes"])).code).toBe(0);
    expect(countSent()).toBe(2);
  });

  test("makes `prices` exit with 3 and show both prices until the user accepts it", async () => {
    const { run } = await createPersonWithDoubtfulPrice();
    const { code, printed, said } = await run(["prices"]);
    expect(code).toBe(3);
    expect(printed.join("\n")).toMatch(/SOL +\$75\.00, confirmed before: \$150\.00/);
    expect(said.join("\n")).toContain("Nothing is signed until");
    expect((await run(["prices", "--accept-price"])).code).toBe(0);
    expect((await run(["prices"])).code).toBe(0);
    expect((await run(["topup", "5", "--yes"])).code).toBe(0);
  });
});

test.each([
  [["--price-check", "hermes"], "ROUNDUP_HERMES_KEY"],
  [["--price-check", "rpc"], "--rpc"],
  [["--price-check", "rpc", "--rpc", "no address"], "--rpc"],
])("the arguments %j are refused, and the message names %s", async (argv, optionName) => {
  const { run, service } = await createPerson();
  const { code, said } = await run(["topup", "5", "--yes", ...argv]);
  expect([code, service.listSent()]).toEqual([2, []]);
  expect(said.join("\n")).toContain(optionName);
});

test("a second source confirms a price without the user", async () => {
  const { service, run, countSent } = await createPersonWithDoubtfulPrice();
  const env = { ROUNDUP_HERMES_KEY: "key" };
  const createFetch = (usd: number) => async (address: string, init: RequestInit) => {
    if (!address.startsWith("https://pyth.dourolabs.app/")) return service.fetch!(address, init);
    const [id] = new URL(address).searchParams.getAll("ids[]");
    const publish_time = Math.floor(service.clock.now() / 1000);
    return Response.json({ parsed: [{ id, price: { price: `${usd * 100}`, conf: "1", expo: -2, publish_time } }] });
  };
  const argv = ["topup", "5", "--yes", "--price-check", "hermes"];
  expect((await run(argv, { env, fetch: createFetch(100) })).code).toBe(3);
  expect((await run(argv, { env, fetch: createFetch(76) })).code).toBe(0);
  expect(countSent()).toBe(1);
});
