import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createJupiter } from "../../../lib/clients/jupiter/jupiter";
import { buildSaleContract } from "../../../lib/contracts/build-sale";
import { buildSwapContract } from "../../../lib/contracts/build-swap";
import { ASSETS } from "../../../lib/domain/assets";
import type { AccountState } from "../../../lib/domain/holdings";
import type { Reason } from "../../../lib/domain/not-as-shown";
import type { SwapTerms } from "../../../lib/domain/swap/swap-check";
import type { SwapPlan } from "../../../lib/domain/swap/swap-plan";
import { createInvestSpec } from "../../../lib/sdk/flow/invest";
import { type RequestedSale, verifySale } from "../../../lib/sdk/verify/sale";
import { type RequestedSwaps, verifySwap, verifySwaps } from "../../../lib/sdk/verify/swap";
import { buildSale } from "../../../lib/services/build-sale";
import { buildSwap } from "../../../lib/services/build-swap";
import { toBase64 } from "../../../lib/solana/bytes";
import { MAX_COMPUTE_UNITS, setComputeUnitLimit } from "../../../lib/solana/compute-budget";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { createMemo } from "../../../lib/solana/memo";
import { createSystemTransfer } from "../../../lib/solana/system-instructions";
import {
  closeAccount,
  createAssociatedTokenAccountIdempotent,
  deriveAssociatedTokenAddress,
  transferChecked,
} from "../../../lib/solana/token-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { parseInput } from "../../support/client/contract-input";
import { type FakeDeps, fakeDeps, PRICES_USD, recordRounds, solAccount } from "../../support/fakes/fake-deps";
import { tokenAccount } from "../../support/fakes/fake-simulation";
import { manualClock } from "../../support/fakes/manual-clock";
import { json, type StagedServer, stagedServer } from "../../support/fakes/staged-server";
import { catchReason } from "../../support/fixtures/catch-reason";
import { lookupTableData } from "../../support/fixtures/lookup-table";
import * as recorded from "../../support/fixtures/recorded-swap";
import { testWallet } from "../../support/fixtures/test-wallets";
import {
  createSale,
  HOSTILE_SALES,
  HOSTILE_SWAPS,
  HOSTILE_TO_CLIENTS,
  THIEF,
} from "../../support/worlds/hostile-builds";

const { TAKER, SOLD, BOUGHT, INPUT, OUTPUT, MINIMUM, SLIPPAGE_BPS, PRICES } = recorded;

const TERMS: SwapTerms = {
  wallet: TAKER,
  inputMint: SOLD,
  outputMint: BOUGHT,
  inputAmount: INPUT,
  minimumOutput: MINIMUM,
  slippageBps: SLIPPAGE_BPS,
};

const BLOCKHASH = "11111111111111111111111111111111";

/** Composes a transaction as a hostile server would: without verification or a fee cap. */
function compose({ instructions, lookupTables }: SwapPlan, payer = TAKER): string {
  const all = [setComputeUnitLimit(MAX_COMPUTE_UNITS), ...instructions];
  return toBase64(composeTransaction({ payer, instructions: all, blockhash: BLOCKHASH, lookupTables }).bytes);
}

const build = (deps: FakeDeps) =>
  buildSwap(
    deps,
    parseInput(buildSwapContract, { serviceWalletPubkey: TAKER, targetAsset: "USDC", slippageBps: SLIPPAGE_BPS }),
  );

const asked = {
  network: "mainnet-beta",
  wallet: TAKER,
  allocations: [{ asset: "USDC", pct: 100 }],
  slippageBps: SLIPPAGE_BPS,
  prices: PRICES,
} as const;

describe("a recorded mainnet swap", () => {
  let jupiter: StagedServer;
  beforeAll(async () => {
    jupiter = await stagedServer(json(recorded.RECORDED_ANSWER));
  });
  afterAll(() => jupiter.close());

  test("is parsed by the aggregator client as in this suite", async () => {
    const client = createJupiter({ baseUrl: jupiter.url, timeoutMs: 20_000, clock: manualClock() });
    const pair = { inputMint: SOLD, outputMint: BOUGHT };
    const request = { ...pair, amount: INPUT, slippageBps: SLIPPAGE_BPS, taker: TAKER };
    expect(await client.planSwap(request)).toEqual(recorded.readPlan());
  });

  test("verifies with its lookup tables when the server builds it, and shows its figures", async () => {
    const built = await build(recorded.createWorld());
    expect(built.ready).toBe(true);
    expect(verifySwaps(built, asked)).toEqual([
      {
        asset: "USDC",
        inputAmount: INPUT,
        minimumOutput: MINIMUM,
        networkFeeLamports: BigInt(built.costs.networkFeeLamports),
      },
    ]);
  });

  test("does not pass the sandbox rules, which apply only to the sandbox", () => {
    expect(catchReason(() => verifySwap("sandbox", compose(recorded.readPlan()), TERMS, PRICES))).toBe(
      "foreign_account",
    );
    expect(catchReason(() => verifySwap("mainnet-beta", compose(recorded.readPlan()), TERMS, PRICES))).toBeNull();
  });

  test.each<[string, Partial<SwapTerms>, Reason]>([
    ["another wallet", { wallet: THIEF }, "other_signer"],
    ["another token", { outputMint: "cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMij" }, "foreign_account"],
    ["an input below the actual one", { inputAmount: INPUT - 1n }, "too_much_sol"],
    ["a higher minimum", { minimumOutput: MINIMUM + 1n }, "below_minimum"],
    ["less slippage", { slippageBps: SLIPPAGE_BPS - 1 }, "slippage"],
  ])("is refused if the server showed %s", (_what, changed, reason) => {
    const transaction = compose(recorded.readPlan());
    expect(catchReason(() => verifySwap("mainnet-beta", transaction, { ...TERMS, ...changed }, PRICES))).toBe(reason);
  });

  test("is refused if it brings nothing, even if the server shows that", () => {
    const forNothing = HOSTILE_SWAPS.find(({ name }) => name === "its minimum is 0")!;
    const transaction = compose(forNothing.change(recorded.readPlan()));
    const terms = { ...TERMS, minimumOutput: 0n };
    expect(catchReason(() => verifySwap("mainnet-beta", transaction, terms, PRICES))).toBe("below_minimum");
  });

  type Answer = Awaited<ReturnType<typeof build>>;
  test.each<[string, Partial<RequestedSwaps>, (answer: Answer) => unknown, Reason]>([
    ["another asset", { allocations: [{ asset: "BTC", pct: 100 }] }, () => {}, "not_asked_for"],
    ["SOL to be kept", { allocations: [...asked.allocations, { asset: "SOL", pct: 100 }] }, swapsSol, "not_asked_for"],
    ["half of it", { allocations: [{ asset: "USDC", pct: 50 }] }, () => {}, "not_asked_for"],
    ["another wallet", { wallet: THIEF }, () => {}, "other_signer"],
    ["less slippage", { slippageBps: SLIPPAGE_BPS - 1 }, () => {}, "slippage"],
    [
      "two swaps in the response instead of one",
      {},
      ({ transactions }) => transactions.push(transactions[0]!),
      "not_asked_for",
    ],
    ["a lamport less", {}, (answer) => (answer.swappableLamports -= 1), "too_much_sol"],
    ["a lower network fee", {}, ({ costs }) => (costs.networkFeeLamports = 5_000), "network_fee"],
    ["the same bytes twice", {}, ({ transactions }) => (transactions[0]!.unsigned.base64 = ""), "two_transactions"],
    ["less to be sold", {}, ({ transactions }) => (transactions[0]!.inputLamports = 1), "too_much_sol"],
    ["more of the quote", {}, ({ transactions }) => (transactions[0]!.quote.minimumOutputAmount = "1"), "slippage"],
    ["another mint", {}, ({ transactions }) => (transactions[0]!.quote.outputMint = SOLD), "other_token"],
    ["fewer digits", {}, ({ transactions }) => (transactions[0]!.quote.outputDecimals = 3), "other_token"],
  ])("is refused by the client if the request or the response differs: %s", async (_what, changed, change, reason) => {
    const built = structuredClone(await build(recorded.createWorld()));
    change(built);
    expect(catchReason(() => verifySwaps(built, { ...asked, ...changed }))).toBe(reason);
  });

  test("may spend one lamport per leg beyond its percentage, because one leg receives the remainder", async () => {
    const built = structuredClone(await build(recorded.createWorld()));
    const half = { ...asked, allocations: [{ asset: "USDC", pct: 50 }] } as const;
    built.swappableLamports = 2 * (Number(INPUT) - 1);
    expect(catchReason(() => verifySwaps(built, half))).toBeNull();
    built.swappableLamports = 2 * (Number(INPUT) - 2);
    expect(catchReason(() => verifySwaps(built, half))).toBe("not_asked_for");
  });

  function swapsSol({ transactions }: Answer): void {
    transactions[0]!.asset = "SOL";
  }
});

describe("hostile swaps", () => {
  test.each([...HOSTILE_SWAPS, ...HOSTILE_TO_CLIENTS])("are refused by the client: $name", ({ change, reason }) => {
    const transaction = compose(change(recorded.readPlan()));
    expect(catchReason(() => verifySwap("mainnet-beta", transaction, TERMS, PRICES))).toBe(reason);
  });

  test.each(HOSTILE_SWAPS)("are refused by the server, which passes nothing on: $name", async ({ change }) => {
    const deps = recorded.createWorld(change(recorded.readPlan()));
    await expect(build(deps)).rejects.toMatchObject({ code: "upstream_invalid" });
    expect(deps.calls.some(({ method }) => method === "simulate")).toBe(false);
  });

  test("are refused by the client if another wallet is the payer", () => {
    const transaction = compose(recorded.readPlan(), THIEF);
    expect(catchReason(() => verifySwap("mainnet-beta", transaction, TERMS, PRICES))).toBe("other_signer");
  });
});

describe("hostile sales", () => {
  const honest = () => createSale(recorded.readPlan());
  const minimumOutput = honest().minimumOutputAmount;
  const terms = { ...TERMS, inputMint: BOUGHT, outputMint: SOLD, inputAmount: OUTPUT, minimumOutput };
  const question = {
    network: "mainnet-beta",
    wallet: TAKER,
    asset: "USDC",
    into: "SOL",
    amountBaseUnits: null,
    prices: PRICES,
  } as const;
  const sell = (deps: FakeDeps) => {
    const query = { serviceWalletPubkey: TAKER, asset: "USDC", all: true, into: "SOL", slippageBps: SLIPPAGE_BPS };
    return buildSale(deps, parseInput(buildSaleContract, query));
  };
  const [RENT, FEE] = [1_488_440n, 5_000n];

  /** Creates a world in which the wallet holds the sold asset. */
  function saleWorld(plan: SwapPlan = honest()): FakeDeps {
    const deps = recorded.createWorld(plan);
    deps.chain.accounts.set(recorded.OWN_BOUGHT, tokenAccount(BOUGHT, TAKER, OUTPUT, RENT));
    deps.chain.simulation = (_, addresses = []) => {
      const before = deps.chain.accounts.get(TAKER)!;
      const after = new Map<string, AccountState | null>([
        [TAKER, { ...before, lamports: before.lamports + minimumOutput - FEE }],
        [recorded.OWN_BOUGHT, tokenAccount(BOUGHT, TAKER, 0n, RENT)],
      ]);
      const accounts = addresses.map((one) => after.get(one) ?? deps.chain.accounts.get(one) ?? null);
      return { error: null, logs: [], unitsConsumed: 400_000, accounts };
    };
    return deps;
  }

  test("do not include the honest sale, which verifies with its lookup tables and shows its figures", async () => {
    const built = await sell(saleWorld());
    expect(verifySale(built, { ...question, slippageBps: SLIPPAGE_BPS })).toEqual({
      inputAmount: OUTPUT,
      minimumOutput,
      networkFeeLamports: BigInt(built.costs.networkFeeLamports),
    });
  });

  test.each(HOSTILE_SALES)("are refused by the client: $name", ({ change, reason }) => {
    const transaction = compose(change(honest()));
    expect(catchReason(() => verifySwap("mainnet-beta", transaction, terms, PRICES))).toBe(reason);
  });

  test.each(HOSTILE_SALES)("are refused by the server, which passes nothing on: $name", async ({ change }) => {
    const deps = saleWorld(change(honest()));
    await expect(sell(deps)).rejects.toMatchObject({ code: "upstream_invalid" });
    expect(deps.calls.some(({ method }) => method === "simulate")).toBe(false);
  });

  test.each<[string, [address: string, after: AccountState | null][]]>([
    ["it brings less SOL than the minimum", [[TAKER, solAccount(1n)]]],
    ["more is sold than the input", [[recorded.OWN_BOUGHT, tokenAccount(BOUGHT, THIEF, 0n, RENT)]]],
    ["the sold account is gone", [[recorded.OWN_BOUGHT, null]]],
    ["the SOL proceeds go to a thief", [[recorded.OWN_WRAPPED, tokenAccount(SOLD, THIEF, INPUT, RENT)]]],
  ])("are refused with 502 after simulation if %s", async (_what, after) => {
    const deps = saleWorld();
    const played = deps.chain.simulation;
    deps.chain.simulation = (transaction, addresses = []) => {
      const result = played(transaction, addresses);
      const changed = new Map(after);
      const accounts = addresses.map((one, i) => (changed.has(one) ? changed.get(one)! : result.accounts![i]!));
      return { ...result, accounts };
    };
    await expect(sell(deps)).rejects.toMatchObject({ code: "upstream_invalid" });
  });

  type Answer = Awaited<ReturnType<typeof sell>>;
  test.each<[string, Partial<RequestedSale>, (answer: Answer) => unknown, Reason]>([
    ["another asset", { asset: "BTC" }, () => {}, "other_token"],
    ["another currency", { into: "USDC", asset: "BTC" }, () => {}, "other_token"],
    ["another amount", { amountBaseUnits: "1" }, () => {}, "other_amount"],
    ["another wallet", { wallet: THIEF }, () => {}, "other_signer"],
    ["less slippage", { slippageBps: SLIPPAGE_BPS - 1 }, () => {}, "slippage"],
    [
      "two swaps in the response instead of one",
      {},
      ({ transactions }) => transactions.push(transactions[0]!),
      "not_one_swap",
    ],
    ["an empty response", {}, ({ transactions }) => transactions.pop(), "not_one_swap"],
    ["a lower network fee", {}, ({ costs }) => (costs.networkFeeLamports = 5_000), "network_fee"],
    ["the same bytes twice", {}, ({ transactions }) => (transactions[0]!.unsigned.base64 = ""), "two_transactions"],
    ["another asset in the response", {}, ({ transactions }) => (transactions[0]!.asset = "BTC"), "other_token"],
    ["another mint in the response", {}, ({ transactions }) => (transactions[0]!.inputMint = SOLD), "other_token"],
    ["another sold mint", {}, ({ transactions }) => (transactions[0]!.quote.inputMint = SOLD), "other_token"],
    ["fewer sold digits", {}, ({ transactions }) => (transactions[0]!.quote.inputDecimals = 3), "other_token"],
    ["another bought mint", {}, ({ transactions }) => (transactions[0]!.quote.outputMint = BOUGHT), "other_token"],
    ["fewer bought digits", {}, ({ transactions }) => (transactions[0]!.quote.outputDecimals = 3), "other_token"],
    ["less in the quote", {}, ({ transactions }) => (transactions[0]!.quote.inputAmount = "1"), "other_amount"],
    ["more of the quote", {}, ({ transactions }) => (transactions[0]!.quote.minimumOutputAmount = "1"), "slippage"],
  ])("are refused by the client if the request or the response differs: %s", async (_what, asked, change, reason) => {
    const built = structuredClone(await sell(saleWorld()));
    change(built);
    expect(catchReason(() => verifySale(built, { ...question, slippageBps: SLIPPAGE_BPS, ...asked }))).toBe(reason);
  });

  test("do not include a sale of exactly the requested amount", async () => {
    const built = await sell(saleWorld());
    const asked = { ...question, slippageBps: SLIPPAGE_BPS, amountBaseUnits: String(OUTPUT) };
    expect(verifySale(built, asked)).toMatchObject({ inputAmount: OUTPUT });
  });
});

describe("checks that only the server can make", () => {
  test("refuse a lookup table whose content differs from the aggregator's answer", async () => {
    const deps = recorded.createWorld();
    const [table, addresses] = Object.entries(recorded.readPlan().lookupTables)[0]!;
    const others = addresses.map(() => THIEF);
    deps.chain.accounts.set(table, { ...solAccount(1n), data: lookupTableData(others) });
    await expect(build(deps)).rejects.toMatchObject({ code: "upstream_invalid" });
  });

  test("refuse a lookup table that does not exist on the chain", async () => {
    const deps = recorded.createWorld();
    deps.chain.accounts.delete(Object.keys(recorded.readPlan().lookupTables)[0]!);
    await expect(build(deps)).rejects.toMatchObject({ code: "upstream_invalid" });
  });

  test("refuse more writable accounts than a transaction may lock, before any request to a node", async () => {
    const plan = recorded.readPlan();
    const crowd = Array.from({ length: 64 }, (_, i) => testWallet(`venue ${i}`).address);
    plan.lookupTables[THIEF] = crowd;
    const venues = crowd.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true }));
    plan.instructions[recorded.AT.swap]!.accounts.push(...venues);
    const deps = recorded.createWorld(plan);
    await expect(build(deps)).rejects.toMatchObject({ code: "upstream_invalid" });
    const requestLog = deps.calls
      .filter(({ method }) => method === "readAccounts")
      .map(({ args }) => args[0] as string[]);
    expect(Math.max(...requestLog.map(({ length }) => length))).toBeLessThan(64);
  });

  const RENT = 1_488_440n;
  const bought = (amount: bigint) => tokenAccount(BOUGHT, TAKER, amount, RENT);
  const changed = (state: AccountState, at: number, ...bytes: number[]): AccountState => {
    const data = Uint8Array.from(state.data);
    data.set(bytes, at);
    return { ...state, data };
  };
  /** Another token account of the wallet, in the place of one of the venue's accounts. */
  const BYSTANDER = recorded.readPlan().instructions[recorded.AT.swap]!.accounts[3]!.pubkey;
  const held = tokenAccount(SOLD, TAKER, 5n, RENT);

  test.each<[string, [address: string, after: AccountState | null][]]>([
    ["less is bought than the minimum", [[recorded.OWN_BOUGHT, bought(MINIMUM - 1n)]]],
    ["nothing is bought", [[recorded.OWN_BOUGHT, null]]],
    ["the bought tokens go to a thief", [[recorded.OWN_BOUGHT, tokenAccount(BOUGHT, THIEF, MINIMUM, RENT)]]],
    ["a delegate may spend the bought tokens", [[recorded.OWN_BOUGHT, changed(bought(MINIMUM), 72, 1)]]],
    ["a thief may close the bought account", [[recorded.OWN_BOUGHT, changed(bought(MINIMUM), 129, 1)]]],
    ["the bought account is no longer a token account", [[recorded.OWN_BOUGHT, solAccount(RENT)]]],
    ["more SOL leaves than the input", [[TAKER, solAccount(2_000_000n)]]],
    ["a program owns the wallet", [[TAKER, { ...solAccount(10n ** 9n), owner: THIEF }]]],
    ["wrapped SOL is given away", [[recorded.OWN_WRAPPED, tokenAccount(SOLD, THIEF, 0n, RENT)]]],
    ["another token of the wallet's is spent", [[BYSTANDER, tokenAccount(SOLD, TAKER, 4n, RENT)]]],
    ["another token account changes hands", [[BYSTANDER, tokenAccount(SOLD, THIEF, 5n, RENT)]]],
  ])("refuse a simulated swap with 502 if %s", async (_what, after) => {
    const deps = recorded.createWorld();
    deps.chain.accounts.set(BYSTANDER, held);
    const honest = deps.chain.simulation;
    deps.chain.simulation = (transaction, addresses = []) => {
      const result = honest(transaction, addresses);
      const accounts = addresses.map((address, i) => {
        const other = after.find(([one]) => one === address);
        return other ? other[1] : result.accounts![i]!;
      });
      return { ...result, accounts };
    };
    await expect(build(deps)).rejects.toMatchObject({ code: "upstream_invalid" });
  });

  test("allow a venue to name another token account of the wallet without changing it", async () => {
    const deps = recorded.createWorld();
    deps.chain.accounts.set(BYSTANDER, held);
    expect((await build(deps)).ready).toBe(true);
  });

  test("take three rounds of requests, or four if the venue names another token account of the wallet", async () => {
    const deps = recorded.createWorld();
    const rounds = await recordRounds(deps, () => build(deps));
    expect(rounds[2]).toEqual(["rpc.readAccounts", "rpc.readAccounts", "rpc.readLatestBlockhash", "rpc.simulate"]);
    expect(rounds).toHaveLength(3);
    const other = recorded.createWorld();
    other.chain.accounts.set(BYSTANDER, held);
    expect((await recordRounds(other, () => build(other)))[3]).toEqual(["rpc.simulate"]);
  });

  test("refuse a response with fewer accounts than requested", async () => {
    const deps = recorded.createWorld();
    deps.chain.simulation = () => ({ error: null, logs: [], unitsConsumed: 1, accounts: [] });
    await expect(build(deps)).rejects.toMatchObject({ code: "upstream_invalid" });
  });
});

describe("a sandbox swap", () => {
  const { mint, decimals } = ASSETS.BTC;
  const wallet = TAKER;
  const own = deriveAssociatedTokenAddress(wallet, mint);
  const [MAKER, ESCROW] = [testWallet("maker").address, testWallet("escrow").address];
  const terms = { ...TERMS, outputMint: mint, minimumOutput: 9_900n };
  /** 10,000 satoshi are worth the input. */
  const SANDBOX_PRICES = { SOL: PRICES.SOL, BTC: Number(OUTPUT) / 100 };
  const paid = createSystemTransfer(wallet, MAKER, INPUT);
  const got = (changes: object = {}) => {
    const ends = { source: ESCROW, destination: own, authority: wallet };
    return transferChecked({ ...ends, mint, decimals, amount: 10_000n, ...changes });
  };
  const opens = createAssociatedTokenAccountIdempotent({ payer: wallet, owner: wallet, mint });
  const sandbox = (instructions: InstructionLike[]) =>
    verifySwap("sandbox", compose({ ...recorded.readPlan(), instructions, lookupTables: {} }), terms, SANDBOX_PRICES);

  test("verifies and shows its figures", () => {
    expect(sandbox([opens, paid, got()])).toMatchObject({ inputAmount: INPUT, minimumOutput: 10_000n });
  });

  test("verifies beside a swap into another asset", async () => {
    const deps = fakeDeps();
    deps.chain.accounts.set(wallet, solAccount(1_000_000_000n));
    const allocations = [
      { asset: "BTC" as const, pct: 50 },
      { asset: "ETH" as const, pct: 50 },
    ];
    const input = parseInput(buildSwapContract, { serviceWalletPubkey: wallet, allocations });
    const request = { ...asked, network: "sandbox", allocations, slippageBps: 100, prices: PRICES_USD };
    expect(verifySwaps(await buildSwap(deps, input), request)).toMatchObject([{ asset: "BTC" }, { asset: "ETH" }]);
  });

  test("is refused under mainnet rules, where the transfer to the maker is a theft", () => {
    const transaction = compose({ ...recorded.readPlan(), instructions: [opens, paid, got()], lookupTables: {} });
    expect(catchReason(() => verifySwap("mainnet-beta", transaction, terms, PRICES))).toBe("not_one_swap");
  });

  test("is refused for a service wallet that was derived for mainnet", async () => {
    const transaction = compose({ ...recorded.readPlan(), instructions: [opens, paid, got()], lookupTables: {} });
    const built = await build(recorded.createWorld());
    const one = {
      ...built.transactions[0]!,
      asset: "BTC" as const,
      transaction,
      unsigned: { ...built.transactions[0]!.unsigned, base64: transaction },
    };
    one.quote = { ...one.quote, outputMint: mint, outputDecimals: decimals, outputAmount: "9900" };
    one.quote.minimumOutputAmount = "9900";
    const request = { legs: [{ asset: "BTC" as const, pct: 100 }], slippageBps: SLIPPAGE_BPS, thresholdUsd: 5 };
    const answer = { ...built, network: "sandbox", transactions: [one], prices: SANDBOX_PRICES };
    const verifyFor = (network: "sandbox" | "mainnet-beta") =>
      createInvestSpec(wallet, network).verify(answer, request);
    await expect(verifyFor("sandbox")).resolves.toMatchObject({ ready: true });
    await expect(verifyFor("mainnet-beta")).rejects.toMatchObject({ reason: "not_one_swap" });
  });

  test.each<[string, Reason, InstructionLike[]]>([
    ["more is paid than was shown", "too_much_sol", [opens, createSystemTransfer(wallet, MAKER, INPUT + 1n), got()]],
    ["the maker is paid twice", "not_one_swap", [opens, paid, paid, got()]],
    ["nothing is bought", "not_one_swap", [opens, paid]],
    ["nothing is paid, but bought twice", "not_one_swap", [opens, got(), got()]],
    ["less is bought than the minimum", "below_minimum", [opens, paid, got({ amount: 9_899n })]],
    ["another token is bought", "other_token", [opens, paid, got({ mint: BOUGHT })]],
    ["a thief gets what is bought", "tokens_elsewhere", [opens, paid, got({ destination: MAKER })]],
    ["the wallet buys from itself", "other_source", [opens, paid, got({ source: own })]],
    ["a thief signs for the bought tokens", "other_signer", [opens, paid, got({ authority: THIEF })]],
    ["an account of another mint is opened", "foreign_account", [opens, paid, got(), openOf(BOUGHT)]],
    [
      "an account is closed",
      "unknown_instruction",
      [opens, paid, got(), closeAccount({ account: own, destination: wallet, owner: wallet })],
    ],
    ["another program takes part", "unknown_program", [opens, paid, got(), createMemo("x", wallet)]],
  ])("is refused if %s", (_what, reason, instructions) => {
    expect(catchReason(() => sandbox(instructions))).toBe(reason);
  });

  function openOf(other: string) {
    return createAssociatedTokenAccountIdempotent({ payer: wallet, owner: wallet, mint: other });
  }

  test("is refused if the quote is close to zero, whatever minimum is shown", () => {
    const one = [opens, paid, got({ amount: 1n })];
    const transaction = compose({ ...recorded.readPlan(), instructions: one, lookupTables: {} });
    expect(catchReason(() => verifySwap("sandbox", transaction, { ...terms, minimumOutput: 1n }, SANDBOX_PRICES))).toBe(
      "implausible",
    );
  });
});
