import { readPath } from "@/app/_client/queries/calls";
import { toPortfolioPath } from "@/app/_client/queries/queries";
import { readMoreHistory } from "@/app/_client/queries/wallet-history";
import type { getPortfolioContract } from "@/lib/contracts/get-portfolio";
import { lamportsToUsd } from "@/lib/domain/money";

/** Returns the value with refundable deposits (USD), as the dashboard does. Null while the history is incomplete. */
export async function readTotalUsd(address: string): Promise<number | null> {
  try {
    const [portfolio, { items, isComplete }] = await Promise.all([
      readPath<typeof getPortfolioContract>(toPortfolioPath(address)),
      readMoreHistory(address),
    ]);
    const { totalUsd, solPriceUsd } = portfolio;
    if (totalUsd === null || solPriceUsd === null || !isComplete) return null;
    const depositLamports = items.reduce(
      (sum, { tokenAccountDepositLamports }) => sum + tokenAccountDepositLamports,
      0,
    );
    return totalUsd + lamportsToUsd(Math.max(0, depositLamports), solPriceUsd);
  } catch {
    return null;
  }
}
