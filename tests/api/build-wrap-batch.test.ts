import { afterEach, describe, expect, inject, test } from "vitest";
import { healSandbox, lamportsOf, newSaver, type Saver } from "../support/chain/chain";
import { expectFailure } from "../support/client/answers";
import { data, execute, get, post, signTransaction } from "../support/client/client";

afterEach(healSandbox);

const ask = ({ user, service }: Saver, txValuesUsd: unknown, fields: Record<string, unknown> = {}) =>
  post(
    "/api/wrap/batch",
    { txValuesUsd, userPubkey: user.address, serviceWalletPubkey: service.address, ...fields },
    { headers: user.headers },
  );

describe("200", () => {
  test("rounds each purchase separately, and sums them in the breakdown", async () => {
    const saver = await newSaver();
    const { items, breakdown } = await data(ask(saver, [4.98, 27.63, 12, 0], { plan: "tree" }));
    expect(items).toEqual([
      { txValueUsd: 4.98, roundUpUsd: 0.02, skipped: false, capped: false },
      { txValueUsd: 27.63, roundUpUsd: 0.37, skipped: false, capped: false },
      { txValueUsd: 12, roundUpUsd: 0, skipped: true, capped: false },
      { txValueUsd: 0, roundUpUsd: 0, skipped: true, capped: false },
    ]);
    expect(breakdown).toMatchObject({
      txValueUsd: 44.61,
      roundedToUsd: 45,
      roundUpUsd: 0.39,
      plan: "tree",
      serviceFeePercent: 0.5,
      serviceFeeUsd: 0.00195,
      skipped: false,
      capped: false,
    });
    const { roundUpLamports, serviceFeeLamports, userInvestmentLamports } = breakdown;
    expect(serviceFeeLamports).toBe(Math.floor(roundUpLamports / 200));
    expect(serviceFeeLamports + userInvestmentLamports).toBe(roundUpLamports);
  });

  test("moves the sum with one pair of transfers, to the lamport", async () => {
    const saver = await newSaver();
    const { instructions, transaction, breakdown } = await data(ask(saver, [4.98, 27.63, 3.01], { plan: "forest" }));
    expect(instructions).toHaveLength(2);
    const parties = [saver.user.address, saver.service.address, breakdown.feeCollector];
    const before = await lamportsOf(...parties);
    await data(execute(signTransaction(transaction!.base64, saver.user.keys), saver.user.headers));
    const after = await lamportsOf(...parties);
    expect(after.map((lamports, i) => lamports - before[i]!)).toEqual([
      -breakdown.totalLamports,
      breakdown.userInvestmentLamports + breakdown.activationLamports,
      breakdown.serviceFeeLamports,
    ]);
    const { items } = await data(get(`/api/activity/${saver.service.address}`));
    expect(items[0]).toMatchObject({
      type: "round_up",
      topup: false,
      serviceFeeLamports: breakdown.serviceFeeLamports,
    });
  });

  test("accepts 500 purchases", async () => {
    const saver = await newSaver();
    const values = Array.from({ length: 500 }, (_, i) => (i + 1) / 100);
    const { items, breakdown } = await data(ask(saver, values));
    expect(items).toHaveLength(500);
    expect(breakdown.txValueUsd).toBe(1252.5);
    expect(breakdown.roundUpUsd).toBe(22.5);
  });
});

describe("400", () => {
  test("wallets_equal and wallet_not_allowed: refuses the same wallets as a single round-up", async () => {
    const saver = await newSaver({ userSol: 0 });
    expectFailure(await ask(saver, [1.2], { serviceWalletPubkey: saver.user.address }), "wallets_equal");
    const [collector] = inject("doors").feeCollectors;
    expectFailure(await ask(saver, [1.2], { serviceWalletPubkey: collector }), "wallet_not_allowed");
  });
});
