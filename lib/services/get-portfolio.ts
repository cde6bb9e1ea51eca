import type { DataOf, InputOf } from "../contracts/define";
import type { getPortfolioContract } from "../contracts/get-portfolio";
import type { Deps } from "../ports/deps";
import { readPortfolio } from "./steps/reads/portfolio";

/** Returns a wallet's balances and their value in dollars. @throws AppError upstream_* */
export async function getPortfolio(
  deps: Deps,
  { address }: InputOf<typeof getPortfolioContract>,
): Promise<DataOf<typeof getPortfolioContract>> {
  return readPortfolio(deps, address);
}
