import { describe, expect, test } from "vitest";
import { PYTH_FEEDS } from "@/lib/domain/prices/pyth-feeds";
import { hermes } from "@/lib/sdk/cli/price-check/hermes";
import { answering } from "../../../../support/client/answering";
import { SAID } from "../../../../support/fixtures/pyth-account";

describe("Hermes with the caller's own key", () => {
  const entry = {
    id: PYTH_FEEDS.SOL,
    price: { price: "7609640500", conf: "4347230", expo: -8, publish_time: 1_786_657_207 },
  };

  test("is asked for these feeds, and its key follows no redirect", async () => {
    const { fetch, seen } = answering({ parsed: [entry] });
    expect(await hermes("secret", fetch).prices(["SOL", "USDC"])).toEqual({ SOL: SAID });
    expect(seen[0]!.address).toContain(`ids[]=${PYTH_FEEDS.SOL}&ids[]=${PYTH_FEEDS.USDC}`);
    expect(seen[0]!.init).toMatchObject({ headers: { authorization: "Bearer secret" }, redirect: "error" });
  });

  test.each<[string, unknown, number]>([
    ["refuses the key", {}, 403],
    ["answers another shape", { parsed: [{ ...entry, price: { ...entry.price, price: "-1" } }] }, 200],
    ["answers too much", { parsed: [], filling: "x".repeat(300_000) }, 200],
  ])("one that %s fails", async (_what, answer, status) => {
    await expect(hermes("secret", answering(answer, status).fetch).prices(["SOL"])).rejects.toThrow();
  });
});
