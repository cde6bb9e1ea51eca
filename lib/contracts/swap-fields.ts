import { z } from "zod";
import { ASSETS, type AssetSymbol } from "../domain/assets";
import { lamportsToSol } from "../domain/money";
import { DEFAULT_SLIPPAGE_BPS } from "../domain/plans";
import { Address, AssetName, BaseUnits, Lamports, Sol, Usd } from "./scalars";

/** What a swap sells. */
export const swapInputFields = { inputMint: Address, inputAmount: BaseUnits.describe("Base units of `inputMint`") };

/** The builds repeat a quote for each transaction. */
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

/** A quote of the sandbox, as answers list it. Amounts are base units. */
export function createExampleQuote(
  soldAsset: AssetSymbol,
  inputAmount: bigint,
  targetAsset: AssetSymbol,
  output: { amount: bigint; minimum: bigint; priceImpact: number; priceUsd: number },
): z.infer<typeof SwapQuote> {
  const inputLamports = soldAsset === "SOL" ? Number(inputAmount) : 0;
  const { amount, minimum, priceImpact, priceUsd } = output;
  return {
    inputLamports,
    inputSol: lamportsToSol(inputLamports),
    inputMint: ASSETS[soldAsset].mint,
    inputAmount: String(inputAmount),
    inputDecimals: ASSETS[soldAsset].decimals,
    targetAsset,
    outputMint: ASSETS[targetAsset].mint,
    outputAmount: String(amount),
    outputDecimals: ASSETS[targetAsset].decimals,
    minimumOutputAmount: String(minimum),
    slippageBps: DEFAULT_SLIPPAGE_BPS,
    priceImpact,
    route: ["Sandbox Maker"],
    priceUsd,
    warning: null,
  };
}

/** Creates the fields for the SOL that a wallet needs. Investments and sales compute and describe it differently. */
export const createFundingFields = (neededText: string, reserveText: string) => ({
  neededLamports: Lamports.describe(neededText),
  neededUsd: Usd.describe("Value of `neededLamports` in US dollars"),
  costs: z.strictObject({
    networkFeeLamports: Lamports.describe("What the network charges for all transactions together, as a node tells it"),
    tokenAccountDepositLamports: Lamports.describe("Refundable rent of token accounts that the transactions open"),
    reserveLamports: Lamports.describe(reserveText),
  }),
});
