import { describe, expect, test } from "vitest";
import { createHermesSource } from "@/lib/cli/price-check/hermes";
import { PYTH_FEEDS } from "@/lib/domain/prices/pyth-feeds";
import { createFetchStub } from "../../../support/client/fetch-stub";
import { SOL_PRICE } from "../../../support/fixtures/pyth-account";

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
