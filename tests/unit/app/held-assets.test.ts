import { expect, test } from "vitest";
import type { Portfolio } from "@/app/_client/queries/queries";
import { listHeldAssets, listSellableAssets } from "@/app/dashboard/_components/held-assets";
import { ASSETS, OTHER_DOLLARS } from "@/lib/domain/assets";

test("a dollar token that is no asset can be withdrawn in part, and is not for sale", () => {
  const balances = [ASSETS.SOL, ASSETS.USDC, OTHER_DOLLARS.CASH].map(({ mint, decimals }) => {
    return { mint, decimals, amount: "5000000", priceUsd: 1 };
  });
  const portfolio = { balances } as Portfolio;
  expect(listHeldAssets(portfolio).map(({ asset }) => asset)).toEqual(["SOL", "USDC", "CASH"]);
  expect(listSellableAssets(portfolio).map(({ asset }) => asset)).toEqual(["USDC"]);
});
