import type { Portfolio } from "@/app/_client/queries/queries";
import { ASSETS } from "@/lib/domain/assets";

/** Returns the base units of USDC in a wallet. One is a micro-dollar while USDC is worth a dollar. */
export const readUsdcUnits = ({ balances }: Pick<Portfolio, "balances">): bigint =>
  BigInt(balances.find(({ mint }) => mint === ASSETS.USDC.mint)?.amount ?? 0);
