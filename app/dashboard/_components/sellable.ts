import type { Portfolio } from "@/app/dashboard/_components/balances";
import { listHeldAssets } from "@/app/dashboard/_components/held-assets";

/** Returns the assets that can be sold: all holdings except SOL, which is what a sale pays out. */
export const listSellable = (portfolio: Portfolio) => listHeldAssets(portfolio).filter(({ asset }) => asset !== "SOL");
