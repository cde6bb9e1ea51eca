import { beforeEach, describe, expect, test } from "vitest";
import { buildWithdrawContract } from "../../../lib/contracts/build-withdraw";
import { ASSETS, OTHER_DOLLARS } from "../../../lib/domain/assets";
import { NotAsShown } from "../../../lib/domain/not-as-shown";
import { verifyWithdrawal } from "../../../lib/sdk/verify/withdrawal";
import { buildWithdraw } from "../../../lib/services/build-withdraw";
import { recordServiceWallet } from "../../../lib/services/records/service-wallets";
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { deriveAssociatedTokenAddress } from "../../../lib/solana/token-instructions";
import { callService } from "../../support/client/contract-input";
import {
  createBlockhash,
  createFakeDeps,
  createSimulation,
  createSolAccount,
  type FakeDeps,
  FEE_COLLECTORS,
  failCalls,
} from "../../support/fakes/fake-deps";
import { computeMainnetRent, EMPTY_RENT_LAMPORTS, TOKEN_RENT_LAMPORTS } from "../../support/fixtures/rent";
import { toTestWallet } from "../../support/fixtures/test-wallets";
import { appendExtensions, type Extensions, encodeTokenAccount } from "../../support/fixtures/token-account";

const WALLET = toTestWallet("service").address;
const DESTINATION = toTestWallet("destination").address;
const LEGACY_BTC_MINT = "3NZ9JMVBmGAqocybic2c7LQCJScmgsAZ6vQqTDzcqmJh";
const WITHDRAWAL_TERMS = { wallet: WALLET, destination: DESTINATION, asset: null, amountBaseUnits: null };

const requestBuild = (deps: FakeDeps, fields: object) => {
  const wallets = { serviceWalletPubkey: WALLET, destination: DESTINATION };
  return callService(buildWithdrawContract, buildWithdraw, deps, { ...wallets, ...fields });
};

/** Encodes the 165 bytes of a token account without extensions. */
function encodeFreezableAccount(owner: string, mint: string, amount: bigint, isFrozen = false): Uint8Array {
  const data = encodeTokenAccount(mint, owner, amount);
  // The account's state. 2 means frozen.
  if (isFrozen) data[108] = 2;
  return data;
}

interface Token {
  mint: string;
  amount: bigint;
  program?: string;
  isFrozen?: boolean;
  lamports?: bigint;
}

/** Stages a wallet that holds this much SOL and these tokens. */
function stageWallet(solLamports: bigint, tokens: Token[] = []): FakeDeps {
  const deps = createFakeDeps();
  if (solLamports > 0n) deps.chain.accounts.set(WALLET, createSolAccount(solLamports));
  const holdings = tokens.map(({ mint, amount, program = TOKEN_PROGRAM, isFrozen, lamports = TOKEN_RENT_LAMPORTS }) => {
    const address = deriveAssociatedTokenAddress(WALLET, mint, program);
    const data = encodeFreezableAccount(WALLET, mint, amount, isFrozen);
    deps.chain.accounts.set(address, { lamports, owner: program, data });
    return { address, mint, amount, decimals: 8, tokenProgram: program };
  });
  deps.chain.holdings.set(WALLET, holdings);
  return deps;
}

const createBtc = (amount: bigint): Token => ({ mint: ASSETS.BTC.mint, amount });

/** Creates one base unit of each of `count` tokens that the service does not know. */
const createUnknownTokens = (count: number, isFrozen = false): Token[] =>
  Array.from({ length: count }, (_, i) => ({ mint: toTestWallet(`mint ${i}`).address, amount: 1n, isFrozen }));

/** The destination's account for BTC. */
const destinationAccount = deriveAssociatedTokenAddress(DESTINATION, ASSETS.BTC.mint);

let deps: FakeDeps;
beforeEach(() => {
  deps = stageWallet(10n ** 9n, [createBtc(5n)]);
});

const listSentSymbols = (transactions: { assets: { symbol: string | null }[] }[]) =>
  transactions.flatMap(({ assets }) => assets.map(({ symbol }) => symbol));

test.each(["readAccounts", "readTokenHoldings", "readRentExemptMinimum", "readLatestBlockhash", "simulate"])(
  "a build fails if %s fails",
  async (failingMethod) => {
    deps.beforeCall = failCalls(failingMethod);
    await expect(requestBuild(deps, { all: true })).rejects.toMatchObject({ code: "upstream_unavailable" });
  },
);

test("lamports at the address of the destination's future token account reduce its deposit", async () => {
  deps.chain.accounts.set(destinationAccount, createSolAccount(1_000_000n));
  expect((await requestBuild(deps, { all: true })).costs.tokenAccountDepositLamports).toBe(
    Number(TOKEN_RENT_LAMPORTS) - 1_000_000,
  );
  deps.chain.accounts.set(destinationAccount, createSolAccount(9_000_000n));
  expect((await requestBuild(deps, { all: true })).costs.tokenAccountDepositLamports).toBe(0);
});

describe("a dollar token of Token-2022 whose mint has a fee of 0 and a hook without a program", () => {
  const { mint, decimals } = OTHER_DOLLARS.PYUSD;
  const program = TOKEN_2022_PROGRAM;
  /** Bytes of its token accounts: base, type, immutable owner, withheld fee, hook state. */
  const ACCOUNT_BYTES = 165 + 1 + 4 + 12 + 5;
  // The types are transfer fee config, transfer hook and pausable.
  const QUIET: Extensions = [
    [1, new Uint8Array(108)],
    [14, new Uint8Array(64)],
  ];
  const PAUSED: Extensions = [[26, Uint8Array.from([...new Uint8Array(32), 1])]];
  const stageDollars = (extensions = QUIET, tokens: Token[] = []) => {
    const deps = stageWallet(10n ** 9n, [{ mint, amount: 5_000_000n, program, lamports: 1n }, ...tokens]);
    deps.chain.holdings.get(WALLET)![0]!.decimals = decimals;
    const data = appendExtensions(new Uint8Array(82), 1, extensions);
    deps.chain.accounts.set(mint, { lamports: 1n, owner: TOKEN_2022_PROGRAM, data });
    return deps;
  };
  const sentDollars = { asset: null, symbol: "PYUSD", mint, amount: "5000000", decimals };

  test.each([{}, { keepRentMinimum: true }])("is sent with everything, even at a cost: %o", async (fields) => {
    const answer = await requestBuild(stageDollars(), { all: true, ...fields });
    expect(answer).toMatchObject({ ready: true, leftBehind: [] });
    expect(answer.transactions[0]!.assets[0]).toEqual(sentDollars);
    const openingLamports = computeMainnetRent(ACCOUNT_BYTES);
    expect(answer.costs.tokenAccountDepositLamports).toBe(Number(openingLamports));
    const keepsRentMinimum = "keepRentMinimum" in fields;
    const [verified] = verifyWithdrawal(answer, { ...WITHDRAWAL_TERMS, keepsRentMinimum });
    expect(verified!.sent.get(mint)).toBe(5_000_000n);
  });

  test("is sent by its name, in part or whole, and the client accepts nothing else under that name", async () => {
    const deps = stageDollars(QUIET, [createBtc(5n)]);
    const part = await requestBuild(deps, { asset: "PYUSD", amount: "2000000" });
    expect(part.transactions[0]!.assets).toEqual([{ ...sentDollars, amount: "2000000" }]);
    const terms = { ...WITHDRAWAL_TERMS, asset: "PYUSD" as const };
    expect(verifyWithdrawal(part, { ...terms, amountBaseUnits: "2000000" })).toHaveLength(1);
    expect(() => verifyWithdrawal(part, { ...terms, amountBaseUnits: "1999999" })).toThrow(NotAsShown);
    expect(() => verifyWithdrawal(part, { ...terms, asset: "USDG" })).toThrow(NotAsShown);
    const whole = await requestBuild(deps, { asset: "PYUSD" });
    expect(whole.transactions[0]!.assets).toEqual([sentDollars]);
    expect((await requestBuild(deps, { asset: "USDG" })).reason).toMatch(/the wallet holds no USDG/);
  });

  test("is sent although the wallet has more token accounts than the node lists", async () => {
    const deps = stageDollars();
    deps.chain.holdings.set(WALLET, []);
    deps.chain.leftOut.set(WALLET, [{ account: null, reason: "Its Token accounts are too many to be read." }]);
    const { transactions, leftOut } = await requestBuild(deps, { all: true });
    expect([transactions[0]!.assets[0], leftOut.length]).toEqual([sentDollars, 1]);
  });

  test("stays behind while its issuer has paused transfers, and does not hold up the rest", async () => {
    const { ready, leftBehind, transactions } = await requestBuild(stageDollars(PAUSED, [createBtc(5n)]), {
      all: true,
    });
    expect(leftBehind).toEqual([{ ...sentDollars, reason: "Its issuer has paused transfers." }]);
    expect([ready, listSentSymbols(transactions)]).toEqual([true, ["BTC", "SOL"]]);
  });
});

test("an older mint of BTC counts as BTC and keeps its own symbol", async () => {
  const deps = stageWallet(10n ** 9n, [
    createBtc(5n),
    { mint: LEGACY_BTC_MINT, amount: 6n },
    { mint: ASSETS.USDC.mint, amount: 7n },
  ]);
  const listSentAmounts = async (fields = {}) => {
    const { transactions } = await requestBuild(deps, { asset: "BTC", ...fields });
    return transactions[0]!.assets.map(({ symbol, amount }) => `${amount} ${symbol}`);
  };
  expect(await listSentAmounts()).toEqual(["5 BTC", "6 WBTC"]);
  expect(await listSentAmounts({ amount: "8" })).toEqual(["5 BTC", "3 WBTC"]);
  expect((await requestBuild(deps, { asset: "BTC", amount: "12" })).reason).toMatch(/12 asked for, 11 available/);
});

describe("tokens", () => {
  const { mint } = ASSETS.BTC;
  test.each([
    ["a frozen account", true, null, /frozen the token account/],
    [
      "a destination account that is frozen",
      false,
      encodeFreezableAccount(DESTINATION, mint, 0n, true),
      /destination's token account is frozen/,
    ],
    [
      "a destination account that now has another owner",
      false,
      encodeFreezableAccount(WALLET, mint, 0n),
      /given to another owner/,
    ],
  ])(
    "with %s stay in the wallet, the answer says why, and everything else is sent",
    async (_, isFrozen, data, reason) => {
      const deps = stageWallet(10n ** 9n, [{ ...createBtc(5n), isFrozen }]);
      if (data)
        deps.chain.accounts.set(destinationAccount, { lamports: TOKEN_RENT_LAMPORTS, owner: TOKEN_PROGRAM, data });
      const { leftBehind, transactions, remainingLamports } = await requestBuild(deps, { all: true });
      const stuckToken = { asset: "BTC", symbol: "BTC", mint, amount: "5", decimals: 8 };
      expect(leftBehind).toEqual([{ ...stuckToken, reason: expect.stringMatching(reason) }]);
      expect(listSentSymbols(transactions)).toEqual(["SOL"]);
      expect(remainingLamports).toBe(0);
      const btcOnly = await requestBuild(deps, { asset: "BTC" });
      expect(btcOnly).toMatchObject({ ready: false, reason: expect.stringMatching(/^None of it can be sent\. /) });
    },
  );

  test("are left out if their account was closed after the listing", async () => {
    deps.chain.accounts.delete(deriveAssociatedTokenAddress(WALLET, ASSETS.BTC.mint));
    expect(await requestBuild(deps, { all: true })).toMatchObject({ ready: true, leftBehind: [] });
  });

  test("are sent with the balance read after the listing, unless the listed balance was 0", async () => {
    deps.chain.holdings.get(WALLET)![0]!.amount = 3n;
    const { transactions } = await requestBuild(deps, { all: true });
    expect(transactions[0]!.assets[0]).toMatchObject({ asset: "BTC", amount: "5" });
    deps.chain.holdings.get(WALLET)![0]!.amount = 0n;
    const { costs } = await requestBuild(deps, { all: true });
    expect(costs.returnedDepositLamports).toBe(0);
  });
});

test("keepRentMinimum keeps the rent minimum, a later fee and every token account of the wallet", async () => {
  const usdcTokens = { mint: ASSETS.USDC.mint, amount: 5_000_000n };
  const unsupportedToken = { mint: toTestWallet("junk").address, amount: 9n };
  const emptyToken = { mint: toTestWallet("empty").address, amount: 0n };
  const deps = stageWallet(10n ** 9n, [usdcTokens, unsupportedToken, emptyToken]);
  const answer = await requestBuild(deps, { all: true, keepRentMinimum: true });
  const remainingLamports = Number(EMPTY_RENT_LAMPORTS) + 5_000;
  expect(answer).toMatchObject({ ready: true, remainingLamports });
  expect(answer.costs.returnedDepositLamports).toBe(0);
  expect(answer.receivedLamports).toBe(1_000_000_000 - 5_000 - Number(TOKEN_RENT_LAMPORTS) - remainingLamports);
  const reason = expect.stringMatching(/supported assets and dollar tokens only/);
  expect(answer.leftBehind).toMatchObject([{ mint: unsupportedToken.mint, reason }]);
  expect(verifyWithdrawal(answer, { ...WITHDRAWAL_TERMS, keepsRentMinimum: true })).toHaveLength(1);
});

test("a wallet sends its SOL although 250 tokens cannot move", async () => {
  const deps = stageWallet(10n ** 9n, createUnknownTokens(250, true));
  const answer = await requestBuild(deps, { all: true });
  expect(answer).toMatchObject({ ready: true, complete: true, remainingLamports: 0 });
  expect(answer.leftBehind).toHaveLength(200);
  expect(answer.leftOut).toEqual([{ account: null, reason: expect.stringMatching(/^50 more token accounts/) }]);
});

test.each([
  ["the wallet itself", { destination: WALLET }, "wallets_equal"],
  ["a fee collector as destination", { destination: FEE_COLLECTORS[0] }, "wallet_not_allowed"],
  ["a fee collector as wallet", { serviceWalletPubkey: FEE_COLLECTORS[0] }, "wallet_not_allowed"],
])("%s is refused before any port is called", async (_, fields, code) => {
  await expect(requestBuild(deps, { all: true, ...fields })).rejects.toMatchObject({ code });
  expect(deps.calls).toEqual([]);
});

test("a destination that a program owns is refused, because what is sent there would be lost", async () => {
  deps.chain.accounts.set(DESTINATION, { ...createSolAccount(1n), owner: TOKEN_PROGRAM });
  await expect(requestBuild(deps, { all: true })).rejects.toMatchObject({ code: "invalid_address" });
  deps.chain.accounts.set(DESTINATION, { ...createSolAccount(1n), owner: SYSTEM_PROGRAM });
  expect((await requestBuild(deps, { all: true })).ready).toBe(true);
});

test("SOL to another service wallet is refused, because the relay would refuse it without a fee", async () => {
  await recordServiceWallet(deps, DESTINATION, null);
  for (const fields of [{ all: true }, { asset: "SOL" }]) {
    await expect(requestBuild(deps, fields)).rejects.toMatchObject({ code: "wallet_not_allowed" });
  }
  expect((await requestBuild(deps, { asset: "BTC" })).ready).toBe(true);
});

test("a first transaction that would fail is refused with the reason", async () => {
  deps.chain.simulate = createSimulation("AccountNotFound");
  await expect(requestBuild(deps, { all: true })).rejects.toMatchObject({
    code: "simulation_failed",
    message: "The withdrawal would fail now: the paying wallet holds no SOL.",
  });
});

test("a build records the last valid height of its blockhash, and answers the time until then", async () => {
  const { transactions } = await requestBuild(stageWallet(10n ** 9n, createUnknownTokens(12)), { all: true });
  expect(transactions.length).toBeGreaterThan(1);
  for (const answer of transactions) {
    expect(answer).toMatchObject({ lastValidBlockHeight: 1_150, networkFeeLamports: 5_000 });
    const validity = { blockhash: createBlockhash(1), lastValidBlockHeight: 1_150, validForMs: 30_000 };
    expect(answer.unsigned).toEqual({ base64: answer.transaction, ...validity });
  }
});

describe("a wallet whose tokens cannot be read", () => {
  const MINT = toTestWallet("a Token-2022 mint").address;
  const unreadableToken: Token = { mint: MINT, amount: 7n, program: TOKEN_2022_PROGRAM };
  const tokenAccount = deriveAssociatedTokenAddress(WALLET, MINT, TOKEN_2022_PROGRAM);
  const truncatedAccount = { lamports: TOKEN_RENT_LAMPORTS, owner: TOKEN_2022_PROGRAM, data: new Uint8Array(20) };

  test.each<[string, (deps: FakeDeps) => void]>([
    ["whose mint does not exist", () => {}],
    ["whose mint cannot be read", (deps) => deps.chain.accounts.set(MINT, truncatedAccount)],
    ["whose account cannot be read", (deps) => deps.chain.accounts.set(tokenAccount, truncatedAccount)],
  ])("sends everything except a token %s, and names that token", async (_caseName, stageFault) => {
    const deps = stageWallet(10n ** 9n, [createBtc(5n), unreadableToken]);
    stageFault(deps);
    const answer = await requestBuild(deps, { all: true });
    expect(answer).toMatchObject({ ready: true, remainingLamports: 0 });
    expect(listSentSymbols(answer.transactions)).toEqual(["BTC", "SOL"]);
    const reason = expect.stringContaining("could not be read");
    expect(answer.leftBehind).toMatchObject([{ mint: MINT, amount: "7", reason }]);
  });

  test("sends SOL alone while the node lists no tokens", async () => {
    deps.beforeCall = failCalls("readTokenHoldings");
    const answer = await requestBuild(deps, { asset: "SOL" });
    expect(answer).toMatchObject({ ready: true, remainingLamports: 0, leftOut: [{}] });
    expect(listSentSymbols(answer.transactions)).toEqual(["SOL"]);
    await expect(requestBuild(deps, { asset: "BTC" })).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});
