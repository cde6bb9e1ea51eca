import type { InputOf } from "../contracts/define";
import type { getPortfolioContract } from "../contracts/get-portfolio";
import type { Deps } from "../ports/deps";
import { readPortfolio } from "./steps/reads/portfolio";

export async function getPortfolio(deps: Deps, { address }: InputOf<typeof getPortfolioContract>) {
  return readPortfolio(deps, address);
}
