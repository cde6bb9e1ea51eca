import { expect, test } from "vitest";
import type { ActivityItem } from "@/app/_client/queries/activity";
import { computePaidDepositLamports } from "@/app/dashboard/withdraw/_components/arrivals";
import { ASSETS } from "@/lib/domain/assets";
import type { WithdrawnAsset } from "@/lib/sdk/flow/withdraw";

/** The rent-exempt minimum of a token account, lamports. */
const DEPOSIT = 2_039_280;

test.each([
  ["when it opened an account", -DEPOSIT - 700, DEPOSIT],
  ["as 0 when the account was open already", -700, 0],
])("the deposit that a withdrawal paid is counted %s", (_caseName, netLamports, paidLamports) => {
  // The wallet's own token account returned its deposit in the same transaction.
  const amounts = [
    { mint: ASSETS.SOL.mint, amount: String(netLamports + DEPOSIT) },
    { mint: ASSETS.USDC.mint, amount: "-5000000" },
  ];
  const sentAssets = [
    { mint: ASSETS.USDC.mint, amount: "5000000" },
    { mint: ASSETS.SOL.mint, amount: "700" },
  ];
  const item = { amounts, tokenAccountDepositLamports: -DEPOSIT } as ActivityItem;
  expect(computePaidDepositLamports(item, sentAssets as WithdrawnAsset[])).toBe(paidLamports);
});
