import { VersionedTransaction } from "@solana/web3.js";
import { afterEach, describe, expect, test } from "vitest";
import { ASSETS } from "../../lib/domain/assets";
import { NATIVE_MINT } from "../../lib/solana/programs";
import {
  buyAssets,
  createSaver,
  getConnection,
  readLamports,
  readRent,
  removeFaults,
  type Saver,
} from "../support/chain/chain";
import { createIssuer, issueTokens, readTokenBalances, wrapSolFor } from "../support/chain/tokens";
import { createWallet, type DataAt, data, execute, post, signTransaction } from "../support/client/client";

afterEach(removeFaults);

/** Fee of a transaction with one signature. */
const NETWORK_FEE_LAMPORTS = 5_000;

/** Creates a saver whose service wallet holds `sol`. */
const createSaverWith = (sol: number) => createSaver({ userSol: 0, serviceSol: sol });

const buildWithdrawal = (saver: Saver, destination: string, fields: Record<string, unknown>) =>
  post(
    "/api/withdraw/build",
    { serviceWalletPubkey: saver.service.address, destination, ...fields },
    { headers: saver.user.headers },
  );

type Build = DataAt<"POST", "/api/withdraw/build">;

/** Signs every transaction with the service wallet alone, and relays them in order. */
async function executeAll(saver: Saver, { transactions }: Build): Promise<void> {
  for (const { transaction } of transactions) {
    await data(execute(signTransaction(transaction, saver.service.keys), saver.user.headers));
  }
}

/** Builds and relays a withdrawal. @returns the build */
async function withdraw(saver: Saver, destination: string, fields: Record<string, unknown>): Promise<Build> {
  const build = await data(buildWithdrawal(saver, destination, fields));
  expect(build).toMatchObject({ ready: true, reason: null, destination });
  await executeAll(saver, build);
  return build;
}

/** Checks the build's figures against the chain, to the lamport. */
async function expectFiguresOnChain(
  saver: Saver,
  destination: string,
  balancesBefore: number[],
  build: Build,
): Promise<void> {
  const { costs, remainingLamports, receivedLamports, transactions } = build;
  const [remaining, received] = await readLamports(saver.service.address, destination);
  expect([remaining, received! - balancesBefore[1]!]).toEqual([remainingLamports, receivedLamports]);
  expect(costs.networkFeeLamports).toBe(NETWORK_FEE_LAMPORTS * transactions.length);
  expect(balancesBefore[0]! + costs.returnedDepositLamports).toBe(
    costs.networkFeeLamports + costs.tokenAccountDepositLamports + receivedLamports + remainingLamports,
  );
}

const readBalances = (saver: Saver, destination: string) => readLamports(saver.service.address, destination);

describe("a withdrawal of everything", () => {
  test("delivers two swapped assets and all SOL to the lamport", async () => {
    const saver = await createSaverWith(1);
    const destination = (await createWallet()).address;
    const allocations = [
      { asset: "BTC", pct: 60 },
      { asset: "USDC", pct: 40 },
    ];
    await buyAssets(saver, { allocations });
    const boughtBalances = await readTokenBalances(saver.service.address);
    expect(Object.keys(boughtBalances).sort()).toEqual([ASSETS.BTC.mint, ASSETS.USDC.mint].sort());
    const balancesBefore = await readBalances(saver, destination);

    const build = await withdraw(saver, destination, { all: true });
    expect(build.transactions).toHaveLength(1);
    const sentAssets = build.transactions[0]!.assets;
    expect(sentAssets.slice(0, 2)).toEqual(
      expect.arrayContaining([
        {
          asset: "BTC",
          symbol: "BTC",
          mint: ASSETS.BTC.mint,
          amount: `${boughtBalances[ASSETS.BTC.mint]}`,
          decimals: 8,
        },
        {
          asset: "USDC",
          symbol: "USDC",
          mint: ASSETS.USDC.mint,
          amount: `${boughtBalances[ASSETS.USDC.mint]}`,
          decimals: 6,
        },
      ]),
    );
    expect(sentAssets[2]).toEqual({
      asset: "SOL",
      symbol: "SOL",
      mint: NATIVE_MINT,
      amount: String(build.receivedLamports),
      decimals: 9,
    });
    expect(build).toMatchObject({ remainingLamports: 0, complete: true, leftBehind: [] });
    expect(build.costs.tokenAccountDepositLamports).toBe(2 * (await readRent(165)));

    await expectFiguresOnChain(saver, destination, balancesBefore, build);
    expect(await getConnection().getAccountInfo(readSigner(build))).toBeNull();
    expect(await readTokenBalances(saver.service.address)).toEqual({});
    expect(await readTokenBalances(destination)).toEqual(boughtBalances);
  });

  test("delivers wrapped SOL and Token-2022 tokens and closes every token account", async () => {
    const [issuer, saver] = [await createIssuer(), await createSaverWith(0.1)];
    const destination = (await createWallet()).address;
    const owner = saver.service.address;
    await wrapSolFor(issuer, owner, 70_000_000);
    await issueTokens(issuer, owner, { amount: 0n });
    const plainToken = await issueTokens(issuer, owner, { kind: "2022", amount: 77n });
    const withFee = await issueTokens(issuer, owner, { kind: "2022 with a transfer fee", amount: 100_000n });
    const balancesBefore = await readBalances(saver, destination);
    const build = await withdraw(saver, destination, { all: true });
    await expectFiguresOnChain(saver, destination, balancesBefore, build);
    expect(build.remainingLamports).toBe(0);
    expect(build.receivedLamports).toBeGreaterThan(170_000_000);
    expect(await readTokenBalances(owner)).toEqual({});
    // The mint withholds 0.1 % in the recipient's account.
    expect(await readTokenBalances(destination)).toEqual({ [plainToken.mint]: 77n, [withFee.mint]: 99_900n });
  });
});

const readSigner = ({ transactions }: Build) =>
  VersionedTransaction.deserialize(Buffer.from(transactions[0]!.transaction, "base64")).message.staticAccountKeys[0]!;

describe("a partial withdrawal", () => {
  test("keeps the token account open until the whole balance is sent", async () => {
    const saver = await createSaverWith(0.5);
    const destination = (await createWallet()).address;
    await buyAssets(saver, {});
    const { [ASSETS.BTC.mint]: balance = 0n } = await readTokenBalances(saver.service.address);
    const half = balance / 2n;
    let balancesBefore = await readBalances(saver, destination);
    const firstPart = await withdraw(saver, destination, { asset: "BTC", amount: String(half) });
    expect(firstPart).toMatchObject({ receivedLamports: 0, costs: { returnedDepositLamports: 0 } });
    expect(firstPart.transactions[0]!.assets).toEqual([
      expect.objectContaining({ asset: "BTC", amount: String(half) }),
    ]);
    await expectFiguresOnChain(saver, destination, balancesBefore, firstPart);
    expect(await readTokenBalances(saver.service.address)).toEqual({ [ASSETS.BTC.mint]: balance - half });

    balancesBefore = await readBalances(saver, destination);
    const secondPart = await withdraw(saver, destination, { asset: "BTC" });
    expect(secondPart.costs).toMatchObject({
      tokenAccountDepositLamports: 0,
      returnedDepositLamports: await readRent(165),
    });
    await expectFiguresOnChain(saver, destination, balancesBefore, secondPart);
    expect(await readTokenBalances(saver.service.address)).toEqual({});
    expect(await readTokenBalances(destination)).toEqual({ [ASSETS.BTC.mint]: balance });
  });
});

test("200: a build that is not ready names the largest amount that leaves the rent-exempt minimum", async () => {
  const saver = await createSaverWith(0.1);
  const { address } = await createWallet();
  const rent = await readRent();
  const maxLamports = 100_000_000 - NETWORK_FEE_LAMPORTS - rent;
  const tooLarge = await data(buildWithdrawal(saver, address, { asset: "SOL", amount: String(maxLamports + 1) }));
  expect(tooLarge).toMatchObject({
    ready: false,
    reason: expect.stringMatching(new RegExp(`at most ${maxLamports} lamports`)),
  });
  const build = await withdraw(saver, address, { asset: "SOL", amount: String(maxLamports) });
  expect(build.remainingLamports).toBe(rent);
  expect(await readLamports(saver.service.address)).toEqual([rent]);
});
