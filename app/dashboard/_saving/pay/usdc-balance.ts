import type { Portfolio } from "@/app/_client/queries/queries";
import { ASSETS } from "@/lib/domain/assets";
import { fromMicroUsd } from "@/lib/domain/money";
import { isAtParity } from "@/lib/domain/prices/price-bounds";

/** Returns the base units of USDC in a wallet. One is a micro-dollar while USDC is worth a dollar. */
export const readUsdcUnits = ({ balances }: Pick<Portfolio, "balances">): bigint =>
  BigInt(balances.find(({ mint }) => mint === ASSETS.USDC.mint)?.amount ?? 0);

/** Returns what the USDC of a wallet pays for, USD. 0 while it is not worth a dollar: the service then refuses it. */
export const readUsdcUsd = (portfolio: Pick<Portfolio, "balances">): number =>
  isAtParity(portfolio.balances.find(({ mint }) => mint === ASSETS.USDC.mint)?.priceUsd ?? 0)
    ? fromMicroUsd(readUsdcUnits(portfolio))
    : 0;
