import { z } from "zod";
import { Address, AssetName, BaseUnits, Lamports, Usd } from "./scalars";

/* Answer fields that purchases and sales share. */

/** What a swap would bring, for purchases and sales. */
export const swapOutputFields = {
  targetAsset: AssetName,
  outputMint: Address,
  outputAmount: BaseUnits,
  outputDecimals: z.int(),
  minimumOutputAmount: BaseUnits,
  slippageBps: z.int(),
  priceImpact: z.number().describe("Price impact as a fraction: 0.01 is 1 %"),
  route: z.array(z.string()),
  warning: z.string().nullable().describe("Why no build accepts this quote: it is worth less than the price allows"),
  priceUsd: Usd.nullable().describe("Market price of one coin of the target asset"),
};

/**
 * Creates the fields that say how much SOL a wallet needs for a purchase or a sale.
 * @param neededText description of `neededLamports`, which the two operations compute differently
 * @param reserveText description of `reserveLamports`, which the two operations compute differently
 */
export const createFundingFields = (neededText: string, reserveText: string) => ({
  neededLamports: Lamports.describe(neededText),
  neededUsd: Usd.describe("Value of `neededLamports` in US dollars"),
  costs: z.strictObject({
    networkFeeLamports: Lamports.describe("What the network charges for all transactions together, as a node tells it"),
    tokenAccountDepositLamports: Lamports.describe("Refundable rent of token accounts that the transactions open"),
    reserveLamports: Lamports.describe(reserveText),
  }),
});
