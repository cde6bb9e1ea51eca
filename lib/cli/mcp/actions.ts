import { z } from "zod";
import { buildSaleContract } from "../../contracts/build-sale";
import { Allocations } from "../../contracts/build-swap";
import { buildTopupContract } from "../../contracts/build-topup";
import { payFields } from "../../contracts/build-wrap";
import { buildWrapBatchContract } from "../../contracts/build-wrap-batch";
import { roundUpTermsFields } from "../../contracts/calculate-round-up";
import { ReferenceInput, SlippageBps, ThresholdUsd, WalletAddress } from "../../contracts/scalars";
import { KNOWN_TOKEN_SYMBOLS, type KnownToken, PAY_ASSETS } from "../../domain/assets";
import { NOTHING_SAVED } from "../../domain/marks";
import { DEFAULT_SLIPPAGE_BPS, DEFAULT_THRESHOLD_USD } from "../../domain/plans";
import { sumRoundUpsUsd, toBaseUnits } from "../../sdk/amounts";
import type { Confirm, Result } from "../../sdk/flow/run-flow";
import type { SaleBuild, SaveBuild, WithdrawBuild } from "../../sdk/index";
import { computeUsdcUsd, suggestPayWith } from "../../sdk/pay-with";
import type { Overview } from "../../sdk/reads";
import type { SavingTerms } from "../../sdk/requests";
import type { Session } from "../state/session";
import { describePortion, findNextPortion } from "../watch/portions";
import { type Figures, toInvestFigures, toSaleFigures, toWithdrawFigures, toWrapFigures } from "./figures";
import { Refusal } from "./spending-limits";

export interface ActionContext extends Pick<Session, "roundup" | "wallet"> {
  /** Allowed withdrawal destinations: the user's wallet, and the addresses from start-up flags. */
  destinations: readonly string[];
}

/** A validated request. The preview and the execution each build it. */
export interface Intent {
  /** @param confirm receives the figures to sign, the reason for a rebuild, and the transactions that already landed */
  run(confirm: Confirm<Figures>): Promise<Result<unknown, unknown>>;
}

export interface Action<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  /** Describes the action. The tool registration adds how to confirm it. */
  description: string;
  input: Input;
  isPaidByWallet: boolean;
  /** Validates what the schema cannot express. @throws {Refusal} */
  toIntent(input: z.output<Input>, context: ActionContext, overview: Pick<Overview, "spending" | "savings">): Intent;
}

const createIntent = <Build>(
  run: (confirm: Confirm<Build>) => Promise<Result<unknown, Build>>,
  toFigures: (build: Build) => Figures,
): Intent => ({
  run: (confirm) =>
    run((build, note, landedSteps) => confirm(addLandedToSummary(landedSteps, toFigures(build)), note, landedSteps)),
});

/** Adds the transactions that have landed already to the summary. The figures cover only the others. */
function addLandedToSummary(landedSteps: { label: string }[], { summary, ...figures }: Figures): Figures {
  const landedLabels = landedSteps.map(({ label }) => label).join(", ");
  return {
    summary: landedLabels ? `${landedLabels} landed before; this is the rest. ${summary}` : summary,
    ...figures,
  };
}

const defineAction = <Input extends z.ZodObject>(action: Action<Input>): Action => action as Action;

const CoinAmount = z.string().regex(/^\d{1,12}(\.\d{1,9})?$/);

/** Converts coins to base units, as digits; null without `coins`. @throws {Refusal} unless they are a valid amount */
function parseBaseUnits(asset: KnownToken, coins: string | undefined): string | null {
  try {
    return coins === undefined ? null : toBaseUnits(asset, coins);
  } catch (error) {
    throw new Refusal((error as Error).message);
  }
}

const { ceiling: ceilingUsd, ...otherTerms } = roundUpTermsFields;
export const termsFields = { ...otherTerms, ceilingUsd };

const saveAction = defineAction({
  name: "save",
  title: "Save change",
  description:
    "Saves the change of purchases from the user's wallet into the savings wallet. Without purchasesUsd, it saves the change of the oldest unsaved payments on the chain, at most 500. Call it again for the next ones.",
  isPaidByWallet: true,
  input: z.strictObject({
    purchasesUsd: buildWrapBatchContract.body!.shape.txValuesUsd.optional(),
    reference: ReferenceInput,
    ...payFields,
    ...termsFields,
  }),
  toIntent({ purchasesUsd, reference, payWith, by, ...terms }, { roundup }, { spending }) {
    if (reference !== undefined && !purchasesUsd)
      throw new Refusal("A reference needs purchasesUsd. Add them, or leave the reference out.");
    const { description, ...request } = purchasesUsd
      ? { purchasesUsd, reference, description: describePurchases(purchasesUsd, terms) }
      : findUnsavedPortion(spending, terms);
    return createIntent(
      (confirm) => roundup.save({ ...terms, ...request, payWith, by }, confirm),
      (build: SaveBuild) => toWrapFigures((change) => `Save ${change}, the change of ${description}`, build, { by }),
    );
  },
});

function describePurchases(purchasesUsd: number[], terms: SavingTerms): string {
  const changeUsd = sumRoundUpsUsd(purchasesUsd, terms);
  return describePortion({ purchasesUsd, payments: purchasesUsd.length, small: { count: 0, sumUsd: 0 }, changeUsd });
}

/** Returns the oldest unsaved payments with change. @throws {Refusal} if the payments are unread or have no change */
function findUnsavedPortion(spending: Overview["spending"], terms: SavingTerms) {
  if (spending === null) throw new Refusal("Your payments cannot be read right now. Try again in a minute.");
  const { batches, savedThrough } = spending;
  const portion = findNextPortion(batches, terms);
  if (!portion) throw new Refusal("There is nothing to save: no unsaved payment has change.");
  const { purchasesUsd, through } = portion;
  return { purchasesUsd, through, after: savedThrough ?? NOTHING_SAVED, description: describePortion(portion) };
}

const { amountUsd, period } = buildTopupContract.body!.shape;

const topupAction = defineAction({
  name: "topup",
  title: "Top up",
  description:
    "Saves a fixed amount from the user's wallet into the savings wallet. With a period, it saves once for each period.",
  isPaidByWallet: true,
  input: z.strictObject({ amountUsd, period, reference: ReferenceInput, ...payFields }),
  toIntent: (request, { roundup }) =>
    createIntent(
      (confirm) => roundup.topup(request, confirm),
      (build: SaveBuild) => toWrapFigures((amount) => `Top up of ${amount}`, build, request),
    ),
});

const investAction = defineAction({
  name: "invest",
  title: "Invest",
  description:
    "Buys assets with the SOL or the USDC in the savings wallet, if it is worth at least thresholdUsd. The share of the asset that pays is kept.",
  isPaidByWallet: false,
  input: z.strictObject({
    allocations: Allocations.meta({ description: "The assets to buy. Their pct values sum to 100" }),
    payWith: z.enum(PAY_ASSETS).optional().meta({
      description: "What pays. Default: USDC if it reaches thresholdUsd alone and is not to be bought, otherwise SOL",
    }),
    thresholdUsd: ThresholdUsd.optional(),
    slippageBps: SlippageBps.optional(),
  }),
  toIntent(input, { roundup }, { savings }) {
    const { allocations, thresholdUsd = DEFAULT_THRESHOLD_USD, slippageBps = DEFAULT_SLIPPAGE_BPS } = input;
    const payWith = input.payWith ?? suggestPayWith(savings ? computeUsdcUsd(savings) : 0, allocations, thresholdUsd);
    const request = { allocations, thresholdUsd, slippageBps, ...(payWith === "USDC" && { payWith }) };
    return createIntent((confirm) => roundup.invest(request, confirm), toInvestFigures);
  },
});

const saleFields = buildSaleContract.body!.shape;

const sellAction = defineAction({
  name: "sell",
  title: "Sell",
  description: "Sells an asset of the savings wallet for SOL or USDC. The proceeds stay in the savings wallet.",
  isPaidByWallet: false,
  input: z.strictObject({
    asset: saleFields.asset,
    into: saleFields.into,
    amountCoins: CoinAmount.optional().meta({
      description: 'Number of coins as a string, e.g. "0.0001". Default: the whole balance',
    }),
    slippageBps: SlippageBps.optional(),
  }),
  toIntent({ asset, into, amountCoins, slippageBps = DEFAULT_SLIPPAGE_BPS }, { roundup }) {
    const request = { asset, into, amountBaseUnits: parseBaseUnits(asset, amountCoins), slippageBps };
    return createIntent(
      (confirm) => roundup.sell(request, confirm),
      (build: SaleBuild) => toSaleFigures(build, request),
    );
  },
});

const withdrawAction = defineAction({
  name: "withdraw",
  title: "Withdraw",
  description:
    "Sends savings from the savings wallet to the user's own wallet, or to an address that the user allowed at start.",
  isPaidByWallet: false,
  input: z.strictObject({
    asset: z.enum(KNOWN_TOKEN_SYMBOLS).optional().meta({ description: "Default: every asset" }),
    amountCoins: CoinAmount.optional().meta({
      description: 'Number of coins of the asset as a string, e.g. "0.25". Default: the whole balance',
    }),
    destination: WalletAddress.optional().meta({
      description: "Default: the user's own wallet. status lists the allowed addresses",
    }),
  }),
  toIntent({ asset = null, amountCoins, destination }, { roundup, wallet, destinations }) {
    const recipient = destination ?? wallet;
    if (!destinations.includes(recipient))
      throw new Refusal(
        "Nothing is sent there. Withdrawals go only to the user's own wallet and to addresses named by --allow-destination.",
      );
    if (asset === null && amountCoins !== undefined)
      throw new Refusal("amountCoins needs an asset. Add it, or leave the amount out to withdraw everything.");
    const request = { destination: recipient, asset, amountBaseUnits: asset && parseBaseUnits(asset, amountCoins) };
    return createIntent(
      (confirm) => roundup.withdraw(request, confirm),
      (build: WithdrawBuild) => toWithdrawFigures(build, request),
    );
  },
});

export const ACTIONS: readonly Action[] = [saveAction, topupAction, investAction, sellAction, withdrawAction];
