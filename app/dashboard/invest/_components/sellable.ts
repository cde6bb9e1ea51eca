import type { Portfolio } from "@/app/dashboard/_components/balances";
import { heldAssets } from "@/app/dashboard/_components/held-assets";

/** What can be sold: everything that is held but SOL, in which one is paid. */
export const sellable = (portfolio: Portfolio) => heldAssets(portfolio).filter(({ asset }) => asset !== "SOL");
