import { z } from "zod";
import { calculateRoundUpContract } from "../../../contracts/calculate-round-up";
import { getActivityContract } from "../../../contracts/get-activity";
import { getSpendingContract } from "../../../contracts/get-spending";
import { AssetName, TxValueUsd } from "../../../contracts/scalars";
import { fromMicroUsd, lamportsToSol } from "../../../domain/money";
import type { Overview } from "../../reads";
import { termsFields } from "./actions";
import { readKnownOverview, sumMovedInADay } from "./caps";
import type { Agent } from "./perform";
import { Refusal } from "./refusal";

/** A read-only tool. Its answer may have more members than its output declares: the server removes them. */
export interface ReadTool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  answer(input: z.output<Input>, agent: Agent): Promise<z.input<Output>>;
}

const defineTool = <I extends z.ZodObject, O extends z.ZodObject>(read: ReadTool<I, O>): ReadTool =>
  read as unknown as ReadTool;

const nothing = z.strictObject({});
const usd = z.number().meta({ description: "US dollars" });
const text = z.string();

/** A token balance, identified by mint. It has no token name, because strangers choose the names of unknown tokens. */
const Holding = z.object({
  asset: AssetName.nullable(),
  mint: text,
  coins: z.number(),
  amount: text.meta({ description: "Base units" }),
  usdValue: usd.nullable(),
});

const status = defineTool({
  name: "status",
  title: "Show balances and limits",
  description:
    "Returns the balances of the user's wallet and the service wallet, the payments that are not saved yet, the amount that can be invested now, and the limits with what has been moved today.",
  input: nothing,
  output: z.object({
    network: text,
    wallet: text,
    walletSol: z.number().nullable(),
    serviceWallet: text,
    savings: z
      .object({ totalUsd: usd.nullable(), investableUsd: usd.nullable(), holdings: z.array(Holding) })
      .nullable(),
    notSavedYet: z.object({ payments: z.int(), totalUsd: usd }).nullable(),
    limits: z.object({
      maxPerActionUsd: usd,
      maxPerDayUsd: usd,
      movedInADayUsd: usd.nullable().meta({
        description: "Moved in the last 24 hours. Null if it cannot be counted now; nothing can be moved then",
      }),
      keepSol: z.number().meta({ description: "The least that stays in the user's wallet" }),
      destinations: z.array(text).meta({ description: "Allowed withdrawal addresses" }),
    }),
    unavailable: z.array(text).meta({ description: "Parts that could not be read and are null" }),
  }),
  async answer(_input, agent) {
    const known = await readKnownOverview(agent.roundup);
    const { caps, destinations, wallet, roundup } = agent;
    const moved = await sumMovedInADay(roundup, await agent.openLedger(), known).catch((error: unknown) => {
      if (error instanceof Refusal) return null;
      throw error;
    });
    return {
      network: known.network,
      wallet,
      walletSol: known.portfolio?.pendingSol ?? null,
      serviceWallet: await roundup.serviceWallet(),
      savings: known.savings && { ...known.savings, holdings: known.savings.balances.map(toHolding) },
      notSavedYet: known.spending,
      limits: {
        maxPerActionUsd: fromMicroUsd(caps.perActionMicroUsd),
        maxPerDayUsd: fromMicroUsd(caps.perDayMicroUsd),
        movedInADayUsd: moved === null ? null : fromMicroUsd(moved),
        keepSol: lamportsToSol(caps.keepLamports),
        destinations: [...destinations],
      },
      unavailable: known.unavailable.map(({ part }) => part),
    };
  },
});

const toHolding = ({ balance: coins, ...token }: NonNullable<Overview["savings"]>["balances"][number]) => ({
  ...token,
  coins,
});

const prices = defineTool({
  name: "prices",
  title: "Show prices and plans",
  description:
    "Returns the price of each asset in US dollars, and the plans. A plan sets the step that a purchase is rounded up to, and the fee.",
  input: nothing,
  output: z.object({
    prices: z.partialRecord(AssetName, usd),
    ageMs: z.int(),
    stale: z.boolean(),
    plans: z.record(text, z.object({ roundToUsd: usd, serviceFeePercent: z.number() })),
  }),
  async answer(_input, { roundup }) {
    const calls = await roundup.calls();
    const [answer, { plans }] = await Promise.all([calls.get("/api/price"), calls.get("/api/plans")]);
    return { ...answer, plans };
  },
});

const roundup = defineTool({
  name: "roundup",
  title: "Calculate a round-up",
  description: "Returns the change of one purchase and the fee on it. It moves no money.",
  input: z.strictObject({ purchaseUsd: TxValueUsd, ...termsFields }),
  output: calculateRoundUpContract.data.omit({ txValueUsd: true }).extend({ purchaseUsd: usd }).strip(),
  async answer({ purchaseUsd, ceilingUsd: ceiling, ...terms }, agent) {
    const body = { ...terms, txValueUsd: purchaseUsd, ceiling };
    return { ...(await (await agent.roundup.calls()).post("/api/roundup", body)), purchaseUsd };
  },
});

const page = { limit: getActivityContract.query!.shape.limit, before: getActivityContract.query!.shape.before };

/** A balance change of one transaction. It has no token name, for the same reason as `Holding`. */
const Change = z.object({ asset: AssetName.nullable(), mint: text, amount: text, change: z.number() });

const movement = { time: text.nullable(), amounts: z.array(Change), usdValue: usd.nullable() };

const activity = defineTool({
  name: "activity",
  title: "List past transactions",
  description:
    "Lists the transactions of the service wallet, newest first. Pass nextBefore as before to get the next page.",
  input: z.strictObject(page),
  output: z.object({
    items: z.array(z.object({ txSignature: text, type: text, status: text, ...movement })),
    nextBefore: text.nullable(),
  }),
  answer: async (input, agent) => agent.roundup.activity(input),
});

const spending = defineTool({
  name: "spending",
  title: "List unsaved payments",
  description:
    "Lists the payments of the user's wallet since the last saved one, newest first. preview_save without purchasesUsd takes the oldest of them.",
  input: z.strictObject({ ...page, since: getSpendingContract.query!.shape.since }),
  output: z.object({
    items: z.array(z.object({ txSignature: text, ...movement, estimated: z.boolean() })),
    leftOut: z.array(z.object({ reason: text, count: z.int() })),
    savedThrough: text.nullable(),
    batches: z.array(z.object({ purchasesUsd: z.array(usd), through: text })),
    nextBefore: text.nullable(),
    isComplete: z.boolean().describe("False: the history is not fully read yet. Call this tool again"),
  }),
  async answer(input, agent) {
    const { batches, ...page } = await agent.roundup.spending(input);
    return { ...page, batches: batches.map(({ txValuesUsd: purchasesUsd, through }) => ({ purchasesUsd, through })) };
  },
});

export const READ_TOOLS: readonly ReadTool[] = [status, prices, roundup, activity, spending];
