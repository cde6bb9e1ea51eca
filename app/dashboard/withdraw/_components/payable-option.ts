import type { Portfolio } from "@/app/_client/queries/queries";
import { type SaleTarget, TRADED_ASSETS, type TradedAsset } from "@/lib/domain/assets";
import { pickLarger, solToLamports } from "@/lib/domain/money";
import type { NamedNetwork } from "@/lib/domain/signed-texts";
import { ApiError } from "@/lib/sdk/calls/api-error";
import type { Calls } from "@/lib/sdk/calls/calls";
import { type CashOutBuild, createCashOutSpec } from "@/lib/sdk/flow/cash-out";
import { createWithdrawSpec } from "@/lib/sdk/flow/withdraw";
import { ESTIMATED_FEE_LAMPORTS } from "@/lib/solana/fees";

/** How everything is received: the coins as they are, or sold for an asset. */
export type ReceiveOption = "coins" | SaleTarget;

export const RECEIVE_OPTIONS = [
  ["coins", "Keep coins"],
  ["SOL", "As SOL"],
  ["USDC", "USDC + SOL"],
] as const;

export const listAssetsToSell = ({ balances }: Pick<Portfolio, "balances">, into: SaleTarget): TradedAsset[] =>
  TRADED_ASSETS.filter((asset) => asset !== into && balances.some((balance) => balance.asset === asset));

export interface WithdrawalOfAll {
  serviceWallet: string;
  network: NamedNetwork;
  destination: string;
  slippageBps: number;
  portfolio: Pick<Portfolio, "balances">;
}

/**
 * Returns the first other way to receive everything that the savings wallet has enough SOL for. Returns null if there is
 * none. Without it, two refused ways would each send the person to the other one.
 */
export async function findPayableOption(
  calls: Calls,
  refusedOption: ReceiveOption,
  request: WithdrawalOfAll,
): Promise<ReceiveOption | null> {
  for (const [option] of RECEIVE_OPTIONS) {
    if (option !== refusedOption && (await isPayable(calls, option, request))) return option;
  }
  return null;
}

/** Returns whether the savings wallet can pay for this way now. A way that cannot be built now does not count. */
async function isPayable(calls: Calls, option: ReceiveOption, request: WithdrawalOfAll): Promise<boolean> {
  const { serviceWallet, network, destination, slippageBps } = request;
  try {
    if (option === "coins") {
      const withdrawEverything = { destination, asset: null, amountBaseUnits: null };
      return (await createWithdrawSpec(serviceWallet, network).build(calls, withdrawEverything, false)).ready;
    }
    const assets = listAssetsToSell(request.portfolio, option);
    // Nothing is sold, so the coins are sent as they are.
    if (assets.length === 0) return false;
    const spec = createCashOutSpec(serviceWallet, network);
    const build = await spec.build(calls, { destination, into: option, assets, slippageBps }, false);
    return build.ready && (option === "SOL" || canPayAllFees(build));
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Returns whether the SOL pays for all sales and the withdrawal. Each sale is built alone, and USDC brings no SOL. */
function canPayAllFees({ sales }: CashOutBuild): boolean {
  const feeLamports = sales.reduce((sum, { costs }) => sum + BigInt(costs.networkFeeLamports), ESTIMATED_FEE_LAMPORTS);
  const keptLamports = sales
    .map(({ costs }) => BigInt(costs.tokenAccountDepositLamports + costs.reserveLamports))
    .reduce(pickLarger);
  return solToLamports(sales[0]!.balanceSol) >= feeLamports + keptLamports;
}
