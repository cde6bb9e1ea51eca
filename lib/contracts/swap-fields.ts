import { z } from "zod";
import { ASSETS, type AssetSymbol } from "../domain/assets";
import { lamportsToSol } from "../domain/money";
import { createExampleOutput } from "./examples";
import { Address, AssetName, BaseUnits, Lamports, Sol, Usd } from "./scalars";

/* Answer fields that quotes, investments and sales share. */

/** The asset that a swap sells, and how much of it. */
export const swapInputFields = { inputMint: Address, inputAmount: BaseUnits.describe("Base units of `inputMint`") };

/** A quote. POST /api/swap/quote returns it, and the builds repeat it for each transaction. */
export const SwapQuote = z
  .strictObject({
    inputLamports: Lamports.describe("Lamports that the swap sells. 0 when it sells another asset than SOL"),
    inputSol: Sol.describe("`inputLamports` in SOL"),
    ...swapInputFields,
    inputDecimals: z.int(),
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
  })
  .meta({ id: "SwapQuote" });

/** Returns a quote of the sandbox in the form in which answers list it. Amounts are base units. */
export function createExampleQuote(
  soldAsset: AssetSymbol,
  inputAmount: bigint,
  ...output: Parameters<typeof createExampleOutput>
): z.infer<typeof SwapQuote> {
  const inputLamports = soldAsset === "SOL" ? Number(inputAmount) : 0;
  return {
    inputLamports,
    inputSol: lamportsToSol(inputLamports),
    inputMint: ASSETS[soldAsset].mint,
    inputAmount: String(inputAmount),
    inputDecimals: ASSETS[soldAsset].decimals,
    ...createExampleOutput(...output),
  };
}

/**
 * Creates the fields that say how much SOL a wallet needs for an investment or a sale.
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
