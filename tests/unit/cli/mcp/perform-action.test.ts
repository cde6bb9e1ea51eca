import { expect, test } from "vitest";
import { ACTIONS, type Intent } from "@/lib/cli/mcp/actions";
import type { Figures } from "@/lib/cli/mcp/figures";
import { type Agent, type Preview, performAction } from "@/lib/cli/mcp/perform-action";
import { openLedger } from "@/lib/cli/state/ledger";
import type { Session } from "@/lib/cli/state/session";
import { ASSETS } from "@/lib/domain/assets";
import type { Confirm } from "@/lib/sdk/flow/run-flow";
import { createMemoryStorage, createProcessLock } from "@/lib/sdk/platform";
import { createOpenPriceGuard } from "../../../support/fakes/open-price-guard";

const INVEST = ACTIONS.find(({ name }) => name === "invest")!;
const FIGURES: Figures = {
  summary: "Invest 0.2 SOL.",
  requestedUsd: null,
  prices: {},
  leaves: [{ asset: "SOL", ...ASSETS.SOL, amount: 200_000_000n }],
  arrives: [],
  serviceFeeLamports: 0,
  serviceFeeUnits: 0,
  networkFeeLamports: 0,
  depositLamports: 0,
};
const LANDED_TRANSACTION = { label: "Buy BTC", about: null, txSignature: "landed" };

/** Creates a ledger and an agent for a service wallet without activity. `performIntent` performs actions with the agent. */
function createPerformRig(savings: object | null = null) {
  const overview = {
    prices: { prices: { SOL: 100 } },
    portfolio: null,
    savings,
    activity: [],
    activityNextBefore: null,
    confirmedPrices: {},
  };
  const roundup = {
    serviceWallet: async () => "service wallet",
    overview: async () => overview,
    priceGuard: createOpenPriceGuard(),
  };
  const session = { roundup, wallet: "wallet", storage: createMemoryStorage(), lock: createProcessLock() };
  const clock = { now: () => 0 };
  const ledger = openLedger({ ...session, clock } as unknown as Session);
  const agent = {
    roundup,
    limits: { perActionMicroUsd: 25_000_000n, perDayMicroUsd: 50_000_000n, perMonthMicroUsd: null, keepLamports: 0n },
    clock,
    ledger,
  } satisfies Partial<Record<keyof Agent, unknown>> as unknown as Agent;
  const snapshot = { overview, atMs: 0 } as unknown as Preview["snapshot"];
  /** Performs a previewed investment. `run` replaces its execution, and `leaves` what the preview showed as leaving. */
  const performIntent = (run: Intent["run"], leaves = FIGURES.leaves) =>
    performAction(agent, INVEST, { intent: { run }, shownFigures: { ...FIGURES, leaves }, snapshot });
  return { perform: performIntent, ledger };
}

test("an action requires a new preview of its rest after a part has landed", async () => {
  const { perform, ledger } = createPerformRig();
  const confirmations: boolean[] = [];
  const result = await perform(async (confirm) => {
    for (const note of [null, "It was rebuilt."]) confirmations.push(await confirm(FIGURES, note, []));
    return { status: "cancelled", transactions: [LANDED_TRANSACTION] };
  });
  expect(result).toMatchObject({ status: "in_part", note: expect.stringContaining("a new preview of the rest") });
  expect(confirmations).toEqual([true, false]);
  expect(await ledger.readEntries()).toMatchObject([{ microUsd: "20000000", txSignatures: ["landed"] }]);
});

test("the day's limit counts only the rest of an action whose first part landed earlier", async () => {
  const { perform, ledger } = createPerformRig();
  const restStep = { label: "Buy ETH", about: null, txSignature: "rest" };
  const result = await perform(async (confirm) => {
    await confirm(FIGURES, null, [LANDED_TRANSACTION]);
    return { status: "done", transactions: [LANDED_TRANSACTION, restStep] };
  });
  expect(result).toMatchObject({ transactions: [{ txSignature: "rest" }] });
  expect(await ledger.readEntries()).toMatchObject([{ txSignatures: ["rest"] }]);
});

test("a stranger's token with an inflated price neither stops a withdrawal nor uses up the day's limit", async () => {
  const { perform, ledger } = createPerformRig({ balances: [{ mint: "junk", priceUsd: 1_000_000, unpriced: null }] });
  const junk = { asset: null, mint: "junk", amount: 5_000n, decimals: 0 };
  const result = await perform(
    async (confirm) => {
      expect(await confirm({ ...FIGURES, leaves: [junk, ...FIGURES.leaves] }, null, [])).toBe(true);
      return { status: "done", transactions: [LANDED_TRANSACTION] };
    },
    [junk, ...FIGURES.leaves],
  );
  expect(result).toMatchObject({ status: "done" });
  expect(await ledger.readEntries()).toMatchObject([{ microUsd: "20000000" }]);
});

test("the summary says that an action is the rest of an earlier one", async () => {
  const withdraw = ACTIONS.find(({ name }) => name === "withdraw")!;
  const build = { transactions: [], costs: { networkFeeLamports: 0, tokenAccountDepositLamports: 0 }, complete: true };
  const roundup = {
    async withdraw(_request: unknown, confirm: Confirm<unknown>) {
      await confirm(build, null, [LANDED_TRANSACTION]);
    },
  };
  const agent = { roundup, wallet: "wallet", destinations: ["wallet"] } as unknown as Agent;
  const intent = withdraw.toIntent({}, agent, { spending: null, savings: null });
  let figures: Figures | null = null;
  await intent.run((restFigures) => {
    figures = restFigures;
    return false;
  });
  const summary = expect.stringMatching(/^Buy BTC landed before; this is the rest\. Withdraw/);
  expect(figures).toMatchObject({ summary });
});

test("an action requires a new preview if its run only finished an earlier payment", async () => {
  const { perform, ledger } = createPerformRig();
  const result = perform(async () => ({ status: "done", transactions: [LANDED_TRANSACTION] }));
  await expect(result).rejects.toThrow("earlier");
  expect(await ledger.readEntries()).toEqual([]);
});

test("another program's open payment is not reported as the confirmed action", async () => {
  const { perform, ledger } = createPerformRig();
  const performAfter = (outcome: "landed" | "unknown") =>
    perform(async (confirm) => {
      await confirm(FIGURES, null, []);
      return { status: "earlier", request: {}, outcome, error: null, transactions: [LANDED_TRANSACTION] };
    });
  await expect(performAfter("landed")).rejects.toThrow("finished first");
  await expect(performAfter("unknown")).rejects.toThrow("not known yet");
  expect(await ledger.readEntries()).toEqual([]);
});

test("the day's limit keeps counting an action that crashed", async () => {
  const { perform, ledger } = createPerformRig();
  const result = perform(async (confirm) => {
    await confirm(FIGURES, null, []);
    throw new Error("The disk is full.");
  });
  await expect(result).rejects.toThrow("disk");
  expect(await ledger.readEntries()).toMatchObject([{ txSignatures: [] }]);
});
