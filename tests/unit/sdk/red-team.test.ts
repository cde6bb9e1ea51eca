import { describe, expect, test } from "vitest";
import { createJupiter } from "../../../lib/clients/jupiter/jupiter";
import { buildSaleContract } from "../../../lib/contracts/build-sale";
import { buildSwapContract } from "../../../lib/contracts/build-swap";
import { ASSETS } from "../../../lib/domain/assets";
import type { AccountState } from "../../../lib/domain/chain-accounts";
import type { Reason } from "../../../lib/domain/not-as-shown";
import type { SwapTerms } from "../../../lib/domain/swap/swap-check";
import type { SwapPlan } from "../../../lib/domain/swap/swap-plan";
import { createInvestSpec } from "../../../lib/sdk/flow/invest";
import {
  type RequestedSale,
  type RequestedSwaps,
  verifySale,
  verifySwap,
  verifySwaps,
} from "../../../lib/sdk/verify/swap";
import { buildSale } from "../../../lib/services/build-sale";
import { buildSwap } from "../../../lib/services/build-swap";
import { buildSetComputeUnitLimit, MAX_COMPUTE_UNITS } from "../../../lib/solana/compute-budget";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { buildMemo } from "../../../lib/solana/memo";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import {
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../../lib/solana/token-instructions";
import { parseInput } from "../../support/client/contract-input";
import {
  createFakeDeps,
  createSolAccount,
  type FakeDeps,
  PRICES_USD,
  recordRounds,
} from "../../support/fakes/fake-deps";
import { createTokenAccount } from "../../support/fakes/fake-simulation";
import { createManualClock } from "../../support/fakes/manual-clock";
import { answerJson, startStagedServerForFile } from "../../support/fakes/staged-server";
import { catchReason } from "../../support/fixtures/catch-reason";
import { FLAT_FEE_LAMPORTS } from "../../support/fixtures/flat-fee";
import { encodeLookupTable } from "../../support/fixtures/lookup-table";
import * as recorded from "../../support/fixtures/recorded-swap";
import { TOKEN_RENT_LAMPORTS } from "../../support/fixtures/rent";
import { composeBase64 } from "../../support/fixtures/test-transactions";
import { toTestWallet } from "../../support/fixtures/test-wallets";
import {
  createSale,
  HOSTILE_SALES,
  HOSTILE_SWAPS,
  HOSTILE_TO_CLIENTS,
  THIEF,
} from "../../support/worlds/hostile-builds";

const { TAKER, SOLD_MINT, BOUGHT_MINT, INPUT_LAMPORTS, OUTPUT_UNITS, MINIMUM_OUTPUT_UNITS, SLIPPAGE_BPS, FAIR_PRICES } =
  recorded;
const { TAKER_BOUGHT_ACCOUNT, TAKER_WRAPPED_ACCOUNT, createRecordedPlan, createRecordedMarket } = recorded;

const TERMS: SwapTerms = {
  wallet: TAKER,
  inputMint: SOLD_MINT,
  outputMint: BOUGHT_MINT,
  inputAmount: INPUT_LAMPORTS,
  minimumOutput: MINIMUM_OUTPUT_UNITS,
  slippageBps: SLIPPAGE_BPS,
};

const createBoughtAccount = (amount: bigint, owner = TAKER) =>
  createTokenAccount(BOUGHT_MINT, owner, amount, TOKEN_RENT_LAMPORTS);
const createWrappedAccount = (amount: bigint, owner = TAKER) =>
  createTokenAccount(SOLD_MINT, owner, amount, TOKEN_RENT_LAMPORTS);

/** Composes a transaction as a hostile server would: without verification or a limit on the fee. */
function composeUnchecked(
  { instructions, lookupTables }: Pick<SwapPlan, "instructions" | "lookupTables"> = createRecordedPlan(),
  payer = TAKER,
): string {
  const withLimit = [buildSetComputeUnitLimit(MAX_COMPUTE_UNITS), ...instructions];
  return composeBase64(payer, withLimit, { lookupTables });
}

const RECORDED_QUERY = { serviceWalletPubkey: TAKER, targetAsset: "USDC", slippageBps: SLIPPAGE_BPS };
const buildRecorded = (deps: FakeDeps) => buildSwap(deps, parseInput(buildSwapContract, RECORDED_QUERY));

/** Returns why the client refuses a transaction, or null when it verifies. */
const findRefusal = (
  transaction: string,
  { terms = TERMS, network = "mainnet-beta", prices = FAIR_PRICES as RequestedSwaps["prices"] } = {},
) => catchReason(() => verifySwap(network, transaction, terms, prices));

type ChangedAccounts = [address: string, after: AccountState | null][];

/** Replaces accounts in the outcome of the staged simulation. */
function changeSimulation(deps: FakeDeps, changedAccounts: ChangedAccounts): void {
  const honestSimulation = deps.chain.simulate;
  deps.chain.simulate = (transaction, addresses = []) => {
    const result = honestSimulation(transaction, addresses);
    const changes = new Map(changedAccounts);
    const accounts = addresses.map((address, i) =>
      changes.has(address) ? changes.get(address)! : result.accounts![i]!,
    );
    return { ...result, accounts };
  };
}

/** The code with which the service refuses an answer of the aggregator. */
const REFUSED = { code: "upstream_invalid" };

const SWAP_REQUEST = {
  network: "mainnet-beta",
  wallet: TAKER,
  allocations: [{ asset: "USDC", pct: 100 }],
  slippageBps: SLIPPAGE_BPS,
  prices: FAIR_PRICES,
} as const;

const jupiter = await startStagedServerForFile();

describe("a recorded mainnet swap", () => {
  test("is read by the aggregator client as by this suite", async () => {
    jupiter.stage = answerJson(recorded.RECORDED_ANSWER);
    const client = createJupiter({ baseUrl: jupiter.url, timeoutMs: 20_000, clock: createManualClock() });
    const pair = { inputMint: SOLD_MINT, outputMint: BOUGHT_MINT };
    const request = { ...pair, amount: INPUT_LAMPORTS, slippageBps: SLIPPAGE_BPS, taker: TAKER };
    expect(await client.planSwap(request)).toEqual(createRecordedPlan());
  });

  test("verifies with the figures that the server shows", async () => {
    const build = await buildRecorded(createRecordedMarket());
    expect(build.ready).toBe(true);
    const costs = { lowestFeeLamports: 4_508n + 2_500n, maxDepositLamports: 2_039_280n };
    expect(build.costs.networkFeeLamports).toBe(9_508);
    expect(verifySwaps(build, SWAP_REQUEST)).toMatchObject([
      { asset: "USDC", inputAmount: INPUT_LAMPORTS, minimumOutput: MINIMUM_OUTPUT_UNITS, ...costs },
    ]);
  });

  test("fails the sandbox rules", () => {
    expect(findRefusal(composeUnchecked(), { network: "sandbox" })).toBe("foreign_account");
    expect(findRefusal(composeUnchecked())).toBeNull();
  });

  test.each<[string, Partial<SwapTerms>, Reason]>([
    ["another wallet", { wallet: THIEF }, "other_signer"],
    ["another token", { outputMint: "cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMij" }, "foreign_account"],
    ["an input below the actual one", { inputAmount: INPUT_LAMPORTS - 1n }, "too_much_sol"],
    ["a higher minimum", { minimumOutput: MINIMUM_OUTPUT_UNITS + 1n }, "below_minimum"],
    ["less slippage", { slippageBps: SLIPPAGE_BPS - 1 }, "slippage"],
  ])("is refused for terms with %s", (_caseName, changes, reason) => {
    expect(findRefusal(composeUnchecked(), { terms: { ...TERMS, ...changes } })).toBe(reason);
  });

  test("is refused if it brings nothing, even with a shown minimum of 0", () => {
    const worthlessSwap = HOSTILE_SWAPS.find(({ name }) => name === "its minimum is 0")!;
    const transaction = composeUnchecked(worthlessSwap.change(createRecordedPlan()));
    expect(findRefusal(transaction, { terms: { ...TERMS, minimumOutput: 0n } })).toBe("below_minimum");
  });

  const WITH_SOL = { allocations: [...SWAP_REQUEST.allocations, { asset: "SOL", pct: 100 } as const] };
  type Answer = Awaited<ReturnType<typeof buildRecorded>>;
  const stateSwappable = (answer: Answer, lamports: bigint) =>
    Object.assign(answer, { swappableLamports: Number(lamports), swappableAmount: String(lamports) });
  const stateInput = ({ transactions: [swap] }: Answer, lamports: bigint) => {
    for (const shown of [swap!, swap!.quote])
      Object.assign(shown, { inputLamports: Number(lamports), inputAmount: String(lamports) });
  };
  test.each<[string, Partial<RequestedSwaps>, (answer: Answer) => unknown, Reason]>([
    ["another asset", { allocations: [{ asset: "BTC", pct: 100 }] }, () => {}, "not_asked_for"],
    ["SOL as its bought asset", WITH_SOL, ({ transactions }) => (transactions[0]!.asset = "SOL"), "not_asked_for"],
    ["half the allocation", { allocations: [{ asset: "USDC", pct: 50 }] }, () => {}, "not_asked_for"],
    ["another wallet", { wallet: THIEF }, () => {}, "other_signer"],
    ["less slippage", { slippageBps: SLIPPAGE_BPS - 1 }, () => {}, "slippage"],
    ["two swaps instead of one", {}, ({ transactions }) => transactions.push(transactions[0]!), "not_asked_for"],
    ["a lamport less to swap", {}, (answer) => stateSwappable(answer, INPUT_LAMPORTS - 1n), "too_much_sol"],
    ["two amounts to swap", {}, (answer) => (answer.swappableLamports -= 1), "other_amount"],
    ["a lower network fee", {}, ({ costs }) => (costs.networkFeeLamports = 7_007), "network_fee"],
    ["other unsigned bytes", {}, ({ transactions }) => (transactions[0]!.unsigned.base64 = ""), "two_transactions"],
    ["a lower input", {}, (answer) => stateInput(answer, 1n), "too_much_sol"],
    ["fewer lamports", {}, ({ transactions }) => (transactions[0]!.inputLamports = 1), "other_amount"],
    ["another quoted input", {}, ({ transactions }) => (transactions[0]!.quote.inputAmount = "1"), "other_amount"],
    ["a payment in USDC", { payWith: "USDC", ...WITH_SOL }, () => {}, "other_token"],
    ["USDC stated as paying", {}, (answer) => (answer.payWith = "USDC"), "other_token"],
    ["another minimum", {}, ({ transactions }) => (transactions[0]!.quote.minimumOutputAmount = "1"), "slippage"],
    ["another mint", {}, ({ transactions }) => (transactions[0]!.quote.outputMint = SOLD_MINT), "other_token"],
    ["fewer decimals", {}, ({ transactions }) => (transactions[0]!.quote.outputDecimals = 3), "other_token"],
  ])(
    "is refused by the client if the request or the response has %s",
    async (_caseName, changes, alterAnswer, reason) => {
      const build = structuredClone(await buildRecorded(createRecordedMarket()));
      alterAnswer(build);
      expect(catchReason(() => verifySwaps(build, { ...SWAP_REQUEST, ...changes }))).toBe(reason);
    },
  );

  test("may spend one lamport beyond the percentage of each allocation", async () => {
    const build = structuredClone(await buildRecorded(createRecordedMarket()));
    // One allocation receives the remainder of the division.
    const halfRequest = { ...SWAP_REQUEST, allocations: [{ asset: "USDC", pct: 50 }] } as const;
    stateSwappable(build, 2n * (INPUT_LAMPORTS - 1n));
    expect(catchReason(() => verifySwaps(build, halfRequest))).toBeNull();
    stateSwappable(build, 2n * (INPUT_LAMPORTS - 2n));
    expect(catchReason(() => verifySwaps(build, halfRequest))).toBe("not_asked_for");
  });
});

describe("hostile swaps", () => {
  test.each([...HOSTILE_SWAPS, ...HOSTILE_TO_CLIENTS])("are refused by the client: $name", ({ change, reason }) => {
    expect(findRefusal(composeUnchecked(change(createRecordedPlan())))).toBe(reason);
  });

  test.each(HOSTILE_SWAPS)("are refused by the server before a simulation: $name", async ({ change }) => {
    const deps = createRecordedMarket(change(createRecordedPlan()));
    await expect(buildRecorded(deps)).rejects.toMatchObject(REFUSED);
    expect(deps.calls.some(({ method }) => method === "simulate")).toBe(false);
  });

  test("are refused by the client if another wallet is the payer", () => {
    expect(findRefusal(composeUnchecked(createRecordedPlan(), THIEF))).toBe("other_signer");
  });
});

describe("hostile sales", () => {
  const createHonestSale = () => createSale(createRecordedPlan());
  const minimumOutput = createHonestSale().minimumOutputAmount;
  const terms = { ...TERMS, inputMint: BOUGHT_MINT, outputMint: SOLD_MINT, inputAmount: OUTPUT_UNITS, minimumOutput };
  const SALE_REQUEST = {
    network: "mainnet-beta",
    wallet: TAKER,
    asset: "USDC",
    into: "SOL",
    amountBaseUnits: null,
    slippageBps: SLIPPAGE_BPS,
    prices: FAIR_PRICES,
  } as const;
  const buildRecordedSale = (deps: FakeDeps) => {
    const query = { serviceWalletPubkey: TAKER, asset: "USDC", all: true, into: "SOL", slippageBps: SLIPPAGE_BPS };
    return buildSale(deps, parseInput(buildSaleContract, query));
  };

  /** Creates the service's dependencies, with the sold asset in the wallet. */
  function createSaleDeps(plan: SwapPlan = createHonestSale()): FakeDeps {
    const deps = createRecordedMarket(plan);
    deps.chain.accounts.set(TAKER_BOUGHT_ACCOUNT, createBoughtAccount(OUTPUT_UNITS));
    deps.chain.simulate = (_, addresses = []) => {
      const walletBefore = deps.chain.accounts.get(TAKER)!;
      const accountsAfter = new Map<string, AccountState | null>([
        [TAKER, { ...walletBefore, lamports: walletBefore.lamports + minimumOutput - FLAT_FEE_LAMPORTS }],
        [TAKER_BOUGHT_ACCOUNT, createBoughtAccount(0n)],
      ]);
      const accounts = addresses.map(
        (address) => accountsAfter.get(address) ?? deps.chain.accounts.get(address) ?? null,
      );
      return { error: null, unitsConsumed: 400_000, accounts };
    };
    return deps;
  }

  test("differ from the honest sale of everything or of an amount, which verifies with its figures", async () => {
    const build = await buildRecordedSale(createSaleDeps());
    for (const amountBaseUnits of [null, String(OUTPUT_UNITS)])
      expect(verifySale(build, { ...SALE_REQUEST, amountBaseUnits })).toMatchObject({
        inputAmount: OUTPUT_UNITS,
        minimumOutput,
        lowestFeeLamports: BigInt(build.costs.networkFeeLamports) - FLAT_FEE_LAMPORTS + 2_500n,
        maxDepositLamports: 0n,
      });
  });

  const HALF_KEPT: RequestedSwaps["allocations"] = (["SOL", "USDC"] as const).map((asset) => ({ asset, pct: 50 }));
  const INVEST_REQUEST: RequestedSwaps = {
    ...SWAP_REQUEST,
    payWith: "USDC",
    allocations: [{ asset: "SOL", pct: 100 }],
  };
  const buildInvestment = (deps: FakeDeps, fields: object = { targetAsset: "SOL" }) => {
    const query = {
      serviceWalletPubkey: TAKER,
      payWith: "USDC",
      slippageBps: SLIPPAGE_BPS,
      threshold: 0.01,
      ...fields,
    };
    return buildSwap(deps, parseInput(buildSwapContract, query));
  };

  test("differ from an honest investment with USDC, which verifies with its figures", async () => {
    const build = await buildInvestment(createSaleDeps());
    expect(build).toMatchObject({ ready: true, swappableLamports: 0, swappableAmount: String(OUTPUT_UNITS) });
    const figures = { asset: "SOL", inputAmount: OUTPUT_UNITS, minimumOutput, maxDepositLamports: 0n };
    expect(verifySwaps(build, INVEST_REQUEST)).toMatchObject([figures]);
  });

  test.each(HOSTILE_SALES)("are refused by the server as investments with USDC: $name", async ({ change }) => {
    const deps = createSaleDeps(change(createHonestSale()));
    await expect(buildInvestment(deps)).rejects.toMatchObject(REFUSED);
    expect(deps.calls.some(({ method }) => method === "simulate")).toBe(false);
  });

  type Purchase = Awaited<ReturnType<typeof buildInvestment>>;
  const stateUnits = ({ transactions: [swap] }: Purchase, inputAmount: string) => {
    for (const shown of [swap!, swap!.quote]) Object.assign(shown, { inputAmount });
  };
  test.each<[string, Partial<RequestedSwaps>, (answer: Purchase) => unknown, Reason]>([
    ["a payment in SOL", { payWith: "SOL" }, () => {}, "other_token"],
    ["USDC as its bought asset", {}, ({ transactions }) => (transactions[0]!.asset = "USDC"), "not_asked_for"],
    ["half to keep", { allocations: HALF_KEPT }, () => {}, "not_asked_for"],
    ["one unit less", {}, (answer) => stateUnits(answer, String(OUTPUT_UNITS - 1n)), "other_amount"],
    ["lamports to swap", {}, (answer) => (answer.swappableLamports = 1), "other_amount"],
    ["lamports beside the USDC", {}, ({ transactions }) => (transactions[0]!.inputLamports = 1), "other_amount"],
    ["SOL as the sold mint", {}, ({ transactions }) => (transactions[0]!.inputMint = SOLD_MINT), "other_token"],
    ["SOL as the quoted mint", {}, ({ transactions }) => (transactions[0]!.quote.inputMint = SOLD_MINT), "other_token"],
    ["fewer sold decimals", {}, ({ transactions }) => (transactions[0]!.quote.inputDecimals = 9), "other_token"],
  ])("are refused as an investment with USDC with %s", async (_caseName, changes, alterAnswer, reason) => {
    const build = structuredClone(await buildInvestment(createSaleDeps()));
    alterAnswer(build);
    expect(catchReason(() => verifySwaps(build, { ...INVEST_REQUEST, ...changes }))).toBe(reason);
  });

  test.each(HOSTILE_SALES)("are refused by the client: $name", ({ change, reason }) => {
    expect(findRefusal(composeUnchecked(change(createHonestSale())), { terms })).toBe(reason);
  });

  test.each(HOSTILE_SALES)("are refused by the server before a simulation: $name", async ({ change }) => {
    const deps = createSaleDeps(change(createHonestSale()));
    await expect(buildRecordedSale(deps)).rejects.toMatchObject(REFUSED);
    expect(deps.calls.some(({ method }) => method === "simulate")).toBe(false);
  });

  test.each<[string, ChangedAccounts]>([
    ["it brings less SOL than the minimum", [[TAKER, createSolAccount(1n)]]],
    ["more is sold than the input", [[TAKER_BOUGHT_ACCOUNT, createBoughtAccount(0n, THIEF)]]],
    ["the sold account is gone", [[TAKER_BOUGHT_ACCOUNT, null]]],
    ["the SOL proceeds go to a thief", [[TAKER_WRAPPED_ACCOUNT, createWrappedAccount(INPUT_LAMPORTS, THIEF)]]],
  ])("are refused after the simulation if %s", async (_caseName, accountsAfter) => {
    const deps = createSaleDeps();
    changeSimulation(deps, accountsAfter);
    await expect(buildRecordedSale(deps)).rejects.toMatchObject(REFUSED);
  });

  type Answer = Awaited<ReturnType<typeof buildRecordedSale>>;
  test.each<[string, Partial<RequestedSale>, (answer: Answer) => unknown, Reason]>([
    ["another asset", { asset: "BTC" }, () => {}, "other_token"],
    ["another currency", { into: "USDC", asset: "BTC" }, () => {}, "other_token"],
    ["another amount", { amountBaseUnits: "1" }, () => {}, "other_amount"],
    ["another wallet", { wallet: THIEF }, () => {}, "other_signer"],
    ["less slippage", { slippageBps: SLIPPAGE_BPS - 1 }, () => {}, "slippage"],
    ["two swaps instead of one", {}, ({ transactions }) => transactions.push(transactions[0]!), "not_one_swap"],
    ["an empty response", {}, ({ transactions }) => transactions.pop(), "not_one_swap"],
    ["a lower network fee", {}, ({ costs }) => (costs.networkFeeLamports = 7_007), "network_fee"],
    ["other unsigned bytes", {}, ({ transactions }) => (transactions[0]!.unsigned.base64 = ""), "two_transactions"],
    ["another asset in the response", {}, ({ transactions }) => (transactions[0]!.asset = "BTC"), "other_token"],
    ["another mint in the response", {}, ({ transactions }) => (transactions[0]!.inputMint = SOLD_MINT), "other_token"],
    ["another sold mint", {}, ({ transactions }) => (transactions[0]!.quote.inputMint = SOLD_MINT), "other_token"],
    ["fewer sold decimals", {}, ({ transactions }) => (transactions[0]!.quote.inputDecimals = 3), "other_token"],
    ["another bought mint", {}, ({ transactions }) => (transactions[0]!.quote.outputMint = BOUGHT_MINT), "other_token"],
    ["fewer bought decimals", {}, ({ transactions }) => (transactions[0]!.quote.outputDecimals = 3), "other_token"],
    ["another input amount", {}, ({ transactions }) => (transactions[0]!.quote.inputAmount = "1"), "other_amount"],
    ["another minimum", {}, ({ transactions }) => (transactions[0]!.quote.minimumOutputAmount = "1"), "slippage"],
  ])(
    "are refused by the client if the request or the response has %s",
    async (_caseName, changes, alterAnswer, reason) => {
      const build = structuredClone(await buildRecordedSale(createSaleDeps()));
      alterAnswer(build);
      expect(catchReason(() => verifySale(build, { ...SALE_REQUEST, ...changes }))).toBe(reason);
    },
  );
});

describe("the server", () => {
  test.each([
    ["differs from the aggregator's answer", encodeLookupTable([THIEF])],
    ["does not exist on the chain", null],
  ])("refuses a lookup table that %s", async (_caseName, data) => {
    const deps = createRecordedMarket();
    const [table] = Object.keys(createRecordedPlan().lookupTables);
    if (data) deps.chain.accounts.set(table!, { ...createSolAccount(1n), data });
    else deps.chain.accounts.delete(table!);
    await expect(buildRecorded(deps)).rejects.toMatchObject(REFUSED);
  });

  test("refuses more writable accounts than a transaction may lock before it reads them", async () => {
    const plan = createRecordedPlan();
    const venueAddresses = Array.from({ length: 64 }, (_, i) => toTestWallet(`venue ${i}`).address);
    plan.lookupTables[THIEF] = venueAddresses;
    const venueAccounts = venueAddresses.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true }));
    plan.instructions[recorded.INSTRUCTION_INDEX.swap]!.accounts.push(...venueAccounts);
    const deps = createRecordedMarket(plan);
    await expect(buildRecorded(deps)).rejects.toMatchObject(REFUSED);
    const reads = deps.calls.filter(({ method }) => method === "readAccounts");
    expect(Math.max(...reads.map(({ args }) => (args[0] as string[]).length))).toBeLessThan(64);
  });

  const boughtMinimum = createBoughtAccount(MINIMUM_OUTPUT_UNITS);
  const replaceBytes = (state: AccountState, offset: number, ...bytes: number[]): AccountState => {
    const data = Uint8Array.from(state.data);
    data.set(bytes, offset);
    return { ...state, data };
  };
  /** The swap names this address as an account of the venue. Some tests put a token account of the wallet there. */
  const BYSTANDER = createRecordedPlan().instructions[recorded.INSTRUCTION_INDEX.swap]!.accounts[3]!.pubkey;
  const bystanderAccount = createWrappedAccount(5n);

  test.each<[string, ChangedAccounts]>([
    ["less is bought than the minimum", [[TAKER_BOUGHT_ACCOUNT, createBoughtAccount(MINIMUM_OUTPUT_UNITS - 1n)]]],
    ["nothing is bought", [[TAKER_BOUGHT_ACCOUNT, null]]],
    ["the bought tokens go to a thief", [[TAKER_BOUGHT_ACCOUNT, createBoughtAccount(MINIMUM_OUTPUT_UNITS, THIEF)]]],
    ["a delegate may spend the bought tokens", [[TAKER_BOUGHT_ACCOUNT, replaceBytes(boughtMinimum, 72, 1)]]],
    ["a thief may close the bought account", [[TAKER_BOUGHT_ACCOUNT, replaceBytes(boughtMinimum, 129, 1)]]],
    ["the bought account holds no token", [[TAKER_BOUGHT_ACCOUNT, createSolAccount(TOKEN_RENT_LAMPORTS)]]],
    ["more SOL leaves than the input", [[TAKER, createSolAccount(2_000_000n)]]],
    ["a program owns the wallet", [[TAKER, { ...createSolAccount(10n ** 9n), owner: THIEF }]]],
    ["wrapped SOL is given away", [[TAKER_WRAPPED_ACCOUNT, createWrappedAccount(0n, THIEF)]]],
    ["another token of the wallet is spent", [[BYSTANDER, createWrappedAccount(4n)]]],
    ["another token account changes hands", [[BYSTANDER, createWrappedAccount(5n, THIEF)]]],
  ])("refuses a swap after its simulation if %s", async (_caseName, accountsAfter) => {
    const deps = createRecordedMarket();
    deps.chain.accounts.set(BYSTANDER, bystanderAccount);
    changeSimulation(deps, accountsAfter);
    await expect(buildRecorded(deps)).rejects.toMatchObject(REFUSED);
  });

  test("allows a venue to name another token account of the wallet without changing it", async () => {
    const deps = createRecordedMarket();
    deps.chain.accounts.set(BYSTANDER, bystanderAccount);
    expect((await buildRecorded(deps)).ready).toBe(true);
  });

  test("needs a round of requests more only if the venue names another token account of the wallet", async () => {
    const deps = createRecordedMarket();
    const rounds = await recordRounds(deps, () => buildRecorded(deps));
    expect(rounds[2]).toEqual(["rpc.readAccounts", "rpc.readAccounts", "rpc.readLatestBlockhash", "rpc.simulate"]);
    expect(rounds).toHaveLength(4);
    const bystanderDeps = createRecordedMarket();
    bystanderDeps.chain.accounts.set(BYSTANDER, bystanderAccount);
    expect((await recordRounds(bystanderDeps, () => buildRecorded(bystanderDeps)))[3]).toEqual(["rpc.simulate"]);
  });

  test("refuses a simulation with fewer accounts than requested", async () => {
    const deps = createRecordedMarket();
    deps.chain.simulate = () => ({ error: null, unitsConsumed: 1, accounts: [] });
    await expect(buildRecorded(deps)).rejects.toMatchObject(REFUSED);
  });
});

describe("a sandbox swap", () => {
  const { mint, decimals } = ASSETS.BTC;
  const wallet = TAKER;
  const boughtAccount = deriveAssociatedTokenAddress(wallet, mint);
  const [MAKER, ESCROW] = [toTestWallet("maker").address, toTestWallet("escrow").address];
  const terms = { ...TERMS, outputMint: mint, minimumOutput: 9_900n };
  /** US dollars at which 10,000 satoshi are worth the input. */
  const SANDBOX_PRICES = { SOL: FAIR_PRICES.SOL, BTC: Number(OUTPUT_UNITS) / 100 };
  const payment = buildSystemTransfer(wallet, MAKER, INPUT_LAMPORTS);
  const higherPayment = buildSystemTransfer(wallet, MAKER, INPUT_LAMPORTS + 1n);
  const createDelivery = (changes: object = {}) => {
    const ends = { source: ESCROW, destination: boughtAccount, authority: wallet };
    return buildTransferChecked({ ...ends, mint, decimals, amount: 10_000n, ...changes });
  };
  const delivery = createDelivery();
  const createOpening = (openedMint: string) =>
    buildCreateAssociatedTokenAccount({ payer: wallet, owner: wallet, mint: openedMint });
  const opening = createOpening(mint);
  const closing = buildCloseAccount({ account: boughtAccount, destination: wallet, owner: wallet });
  const honestTransaction = composeUnchecked({ instructions: [opening, payment, delivery], lookupTables: {} });

  test("verifies with its figures", () => {
    const figures = verifySwap("sandbox", honestTransaction, terms, SANDBOX_PRICES);
    expect(figures).toMatchObject({ inputAmount: INPUT_LAMPORTS, minimumOutput: 10_000n });
  });

  test("verifies together with a swap into another asset", async () => {
    const deps = createFakeDeps();
    deps.chain.accounts.set(wallet, createSolAccount(1_000_000_000n));
    const allocations = (["BTC", "ETH"] as const).map((asset) => ({ asset, pct: 50 }));
    const input = parseInput(buildSwapContract, { serviceWalletPubkey: wallet, allocations });
    const request = { ...SWAP_REQUEST, network: "sandbox", allocations, slippageBps: 100, prices: PRICES_USD };
    expect(verifySwaps(await buildSwap(deps, input), request)).toMatchObject([{ asset: "BTC" }, { asset: "ETH" }]);
  });

  test("is refused under mainnet rules", () => {
    expect(findRefusal(honestTransaction, { terms })).toBe("not_one_swap");
  });

  test("is refused for a service wallet of mainnet", async () => {
    const build = await buildRecorded(createRecordedMarket());
    const [recordedSwap] = build.transactions;
    const amounts = { outputAmount: "9900", minimumOutputAmount: "9900" };
    const swap = {
      ...recordedSwap!,
      asset: "BTC" as const,
      transaction: honestTransaction,
      unsigned: { ...recordedSwap!.unsigned, base64: honestTransaction },
      quote: { ...recordedSwap!.quote, outputMint: mint, outputDecimals: decimals, ...amounts },
    };
    const request = { allocations: [{ asset: "BTC" as const, pct: 100 }], slippageBps: SLIPPAGE_BPS, thresholdUsd: 5 };
    const answer = { ...build, network: "sandbox", transactions: [swap], prices: SANDBOX_PRICES };
    const verifyFor = (network: "sandbox" | "mainnet-beta") =>
      createInvestSpec(wallet, network).verify(answer, request);
    await expect(verifyFor("sandbox")).resolves.toMatchObject({ ready: true });
    await expect(verifyFor("mainnet-beta")).rejects.toMatchObject({ reason: "not_one_swap" });
  });

  test.each<[string, Reason, InstructionLike[]]>([
    ["more is paid than was shown", "too_much_sol", [opening, higherPayment, delivery]],
    ["the maker is paid twice", "not_one_swap", [opening, payment, payment, delivery]],
    ["nothing is bought", "not_one_swap", [opening, payment]],
    ["nothing is paid, but bought twice", "not_one_swap", [opening, delivery, delivery]],
    ["less is bought than the minimum", "below_minimum", [opening, payment, createDelivery({ amount: 9_899n })]],
    ["another token is bought", "other_token", [opening, payment, createDelivery({ mint: BOUGHT_MINT })]],
    ["a thief gets what is bought", "tokens_elsewhere", [opening, payment, createDelivery({ destination: MAKER })]],
    ["the wallet buys from itself", "other_source", [opening, payment, createDelivery({ source: boughtAccount })]],
    ["a thief signs for the bought tokens", "other_signer", [opening, payment, createDelivery({ authority: THIEF })]],
    ["another mint's account is opened", "foreign_account", [opening, payment, delivery, createOpening(BOUGHT_MINT)]],
    ["an account is closed", "unknown_instruction", [opening, payment, delivery, closing]],
    ["another program takes part", "unknown_program", [opening, payment, delivery, buildMemo("x", wallet)]],
  ])("is refused if %s", (_caseName, reason, instructions) => {
    const transaction = composeUnchecked({ instructions, lookupTables: {} });
    expect(findRefusal(transaction, { terms, network: "sandbox", prices: SANDBOX_PRICES })).toBe(reason);
  });

  test("is refused if it brings almost nothing", () => {
    const instructions = [opening, payment, createDelivery({ amount: 1n })];
    const transaction = composeUnchecked({ instructions, lookupTables: {} });
    const cheapTerms = { ...terms, minimumOutput: 1n };
    const refusal = findRefusal(transaction, { terms: cheapTerms, network: "sandbox", prices: SANDBOX_PRICES });
    expect(refusal).toBe("implausible");
  });
});
