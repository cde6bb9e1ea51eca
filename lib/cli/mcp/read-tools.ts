import { z } from "zod";
import { calculateRoundUpContract } from "../../contracts/calculate-round-up";
import { getActivityContract } from "../../contracts/get-activity";
import { getSpendingContract, SmallPayments } from "../../contracts/get-spending";
import { AssetName, TxValueUsd } from "../../contracts/scalars";
import { ASSETS } from "../../domain/assets";
import { fromMicroUsd, lamportsToSol } from "../../domain/money";
import { termsFields } from "./actions";
import type { Agent } from "./perform-action";
import { Refusal, readLimitOverview, readPeriodTotals } from "./spending-limits";

/** A read-only tool. The server removes members of the answer that `output` does not declare. */
export interface ReadTool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  answer(input: z.output<Input>, agent: Agent): Promise<z.input<Output>>;
}

const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(tool: ReadTool<Input, Output>): ReadTool =>
  tool as unknown as ReadTool;

/** Some clients send a field to every tool, so a tool without parameters ignores its fields. */
const NoInput = z.object({});
const Usd = z.number().meta({ description: "US dollars" });
const Text = z.string();

/** A token balance by mint. It omits the token's name, because strangers choose names of unknown tokens. */
const Holding = z.object({
  asset: AssetName.nullable(),
  mint: Text,
  coins: z.number(),
  amount: Text.meta({ description: "Base units" }),
  usdValue: Usd.nullable(),
});

const statusTool = defineTool({
  name: "status",
  title: "Show balances and limits",
  description:
    "Returns the balances of the user's wallet and the savings wallet, the payments that are not saved yet, the amount that can be invested now, and the limits with what has been moved.",
  input: NoInput,
  output: z.object({
    network: Text,
    wallet: Text,
    walletSol: z.number().nullable(),
    walletUsdc: z.number().nullable(),
    serviceWallet: Text,
    savings: z
      .object({ totalUsd: Usd.nullable(), investableUsd: Usd.nullable(), holdings: z.array(Holding) })
      .nullable(),
    notSavedYet: z.object({ payments: z.int(), small: SmallPayments, totalUsd: Usd }).nullable(),
    limits: z.object({
      maxPerActionUsd: Usd,
      maxPerDayUsd: Usd,
      movedInADayUsd: Usd.nullable().meta({
        description: "Moved in the last 24 hours. Null if it cannot be counted now; nothing can be moved then",
      }),
      maxPerMonthUsd: Usd.nullable().meta({ description: "Null without a limit" }),
      movedInAMonthUsd: Usd.nullable().meta({
        description: "Moved in this calendar month. Null without a limit, or if it cannot be counted now",
      }),
      keepSol: z.number().meta({ description: "The least that stays in the user's wallet" }),
      destinations: z.array(Text).meta({ description: "Allowed withdrawal addresses" }),
    }),
    unavailable: z.array(Text).meta({ description: "Parts that could not be read and are null" }),
  }),
  async answer(_input, agent) {
    const overview = await readLimitOverview(agent.roundup);
    const { savings } = overview;
    const { limits, destinations, wallet, roundup } = agent;
    const totals = await readPeriodTotals(limits, agent.ledger, overview).catch((error: unknown) => {
      if (error instanceof Refusal) return null;
      throw error;
    });
    return {
      network: overview.network,
      wallet,
      walletSol: overview.portfolio?.pendingSol ?? null,
      walletUsdc: overview.portfolio && findUsdc(overview.portfolio.balances),
      serviceWallet: await roundup.serviceWallet(),
      savings: savings && {
        ...savings,
        holdings: savings.balances.map(({ balance: coins, ...token }) => ({ ...token, coins })),
      },
      notSavedYet: overview.spending,
      limits: {
        maxPerActionUsd: fromMicroUsd(limits.perActionMicroUsd),
        maxPerDayUsd: fromMicroUsd(limits.perDayMicroUsd),
        movedInADayUsd: totals && fromMicroUsd(totals.day),
        maxPerMonthUsd: toUsd(limits.perMonthMicroUsd),
        movedInAMonthUsd: toUsd(totals?.month ?? null),
        keepSol: lamportsToSol(limits.keepLamports),
        destinations: [...destinations],
      },
      unavailable: overview.unavailable.map(({ part }) => part),
    };
  },
});

const toUsd = (microUsd: bigint | null) => (microUsd === null ? null : fromMicroUsd(microUsd));

const findUsdc = (balances: readonly { mint: string; balance: number }[]) =>
  balances.find(({ mint }) => mint === ASSETS.USDC.mint)?.balance ?? 0;

const pricesTool = defineTool({
  name: "prices",
  title: "Show prices and plans",
  description:
    "Returns the price of each asset in US dollars, and the plans. A plan sets the step that a payment is rounded up to, and the fee.",
  input: NoInput,
  output: z.object({
    prices: z.partialRecord(AssetName, Usd),
    ageMs: z.int(),
    stale: z.boolean(),
    plans: z.record(Text, z.object({ roundToUsd: Usd, serviceFeePercent: z.number() })),
  }),
  async answer(_input, { roundup }) {
    const calls = await roundup.calls();
    const [priceAnswer, { plans }] = await Promise.all([calls.get("/api/price"), calls.get("/api/plans")]);
    return { ...priceAnswer, plans };
  },
});

const roundUpTool = defineTool({
  name: "roundup",
  title: "Calculate the change",
  description: "Returns the change of one purchase and the fee on it. It moves no money.",
  input: z.strictObject({ purchaseUsd: TxValueUsd, ...termsFields }),
  output: calculateRoundUpContract.data.omit({ txValueUsd: true }).extend({ purchaseUsd: Usd }).strip(),
  async answer({ purchaseUsd, ceilingUsd: ceiling, ...terms }, agent) {
    const body = { ...terms, txValueUsd: purchaseUsd, ceiling };
    return { ...(await (await agent.roundup.calls()).post("/api/roundup", body)), purchaseUsd };
  },
});

const pageFields = { limit: getActivityContract.query!.shape.limit, before: getActivityContract.query!.shape.before };

/** It omits the token's name, as `Holding` does. */
const Change = z.object({ asset: AssetName.nullable(), mint: Text, amount: Text, change: z.number() });

const movementFields = { time: Text.nullable(), amounts: z.array(Change), usdValue: Usd.nullable() };

const activityTool = defineTool({
  name: "activity",
  title: "List past transactions",
  description:
    "Lists the transactions of the savings wallet, newest first. Pass nextBefore as before to get the next page.",
  input: z.strictObject(pageFields),
  output: z.object({
    items: z.array(z.object({ txSignature: Text, type: Text, status: Text, ...movementFields })),
    nextBefore: Text.nullable(),
  }),
  answer: async (input, agent) => agent.roundup.activity(input),
});

const spendingTool = defineTool({
  name: "spending",
  title: "List unsaved payments",
  description:
    "Lists the payments of the user's wallet since the last saved one, newest first. preview_save without purchasesUsd takes the oldest of them. In batches, the sum of payments below 1 USD (small) is part of the newest other payment; without one, they wait until their sum reaches 1 USD.",
  input: z.strictObject({ ...pageFields, since: getSpendingContract.query!.shape.since }),
  output: z.object({
    items: z.array(
      z.object({
        txSignature: Text,
        ...movementFields,
        estimated: z.boolean(),
        pulled: z.object({ by: Text }).nullable().meta({ description: "Set if a delegate pulled the payment" }),
      }),
    ),
    leftOut: z.array(z.object({ reason: Text, count: z.int() })),
    savedThrough: Text.nullable(),
    batches: z.array(z.object({ purchasesUsd: z.array(Usd), small: SmallPayments, through: Text })),
    nextBefore: Text.nullable(),
    isComplete: z.boolean().describe("False: the history is not fully read yet. Call this tool again"),
  }),
  async answer(input, agent) {
    const { batches, ...page } = await agent.roundup.spending(input);
    return { ...page, batches: batches.map(({ txValuesUsd: purchasesUsd, ...batch }) => ({ purchasesUsd, ...batch })) };
  },
});

export const READ_TOOLS: readonly ReadTool[] = [statusTool, pricesTool, roundUpTool, activityTool, spendingTool];
