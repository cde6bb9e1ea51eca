import { describe, expect, test } from "vitest";
import { doubtText, type RoundupOptions } from "../../../../lib/sdk";
import { PRICES_USD, setPrices } from "../../../support/fakes/fake-deps";
import { createSdkService, OWNER } from "../../../support/worlds/sdk-service";

const INVEST = { allocations: [{ asset: "BTC" as const, pct: 100 }], slippageBps: 100, thresholdUsd: 5 };
const TOPUP = { amountUsd: 5 };
const WITHDRAW = { destination: OWNER, asset: null, amountBaseUnits: null };
const approve = () => true;

/** Creates a client that has topped up and invested at honest prices. `quoteSol` changes the price of SOL, in USD. */
async function createTestClient(options: Partial<RoundupOptions> = {}) {
  const service = createSdkService();
  const roundup = service.start(options);
  expect([(await roundup.topup(TOPUP, approve)).status, (await roundup.invest(INVEST, approve)).status]).toEqual([
    "done",
    "done",
  ]);
  const sentBefore = service.listSentTransactions().length;
  const quoteSol = (SOL: number) => {
    service.prices.SOL = SOL;
    setPrices(service.deps, { usd: { ...PRICES_USD, SOL } });
  };
  return { service, roundup, quoteSol, countSent: () => service.listSentTransactions().length - sentBefore };
}

describe("a service with false prices", () => {
  test("is refused a swap that loses 40 %, even if its prices match the build", async () => {
    const { service, roundup, countSent } = await createTestClient();
    service.output.satoshi = "9000";
    service.prices.BTC = 166_667;
    const result = await roundup.invest(INVEST, approve);
    expect(result).toMatchObject({ status: "refused", reason: expect.stringMatching(/BTC.*\$166,667.*\$100,000/) });
    expect(countSent()).toBe(0);
  });

  test("is refused a swap at a false SOL price", async () => {
    const { service, roundup, countSent } = await createTestClient();
    service.output.satoshi = "9000";
    expect(await roundup.invest(INVEST, approve)).toMatchObject({ status: "failed", error: { reason: "implausible" } });
    service.prices.SOL = 90;
    expect(await roundup.invest(INVEST, approve)).toMatchObject({ status: "refused" });
    expect(countSent()).toBe(0);
  });

  test.each([0.000001, 1e9])("cannot block a withdrawal by quoting SOL at $%d", async (SOL) => {
    const { roundup, quoteSol } = await createTestClient();
    quoteSol(SOL);
    expect(await roundup.withdraw(WITHDRAW, approve)).toMatchObject({ status: "done" });
  });
});

describe("a moved price", () => {
  test("is used after the user confirms it", async () => {
    const requests: string[] = [];
    const acceptPrices: RoundupOptions["acceptPrices"] = (doubts) => requests.push(doubtText(doubts)) > 1;
    const { roundup, quoteSol, countSent } = await createTestClient({ acceptPrices });
    quoteSol(75);
    expect(await roundup.topup(TOPUP, approve)).toMatchObject({ status: "refused" });
    expect(await roundup.topup(TOPUP, approve)).toMatchObject({ status: "done" });
    expect(await roundup.topup(TOPUP, approve), "the confirmation is stored").toMatchObject({ status: "done" });
    expect([requests.length, countSent()]).toEqual([2, 2]);
    expect(requests[0]).toContain("$75.00");
  });
});
