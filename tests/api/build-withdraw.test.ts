import { PublicKey } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { ASSETS, OTHER_DOLLARS } from "../../lib/domain/assets";
import { buyAssets, createSaver, getConnection, readLamports, readRent } from "../support/chain/chain";
import { buyFromMarket, issueTokens, readTokenBalances, wrapSolFor } from "../support/chain/tokens";
import { createWallet, type DataAt, get, post, postSigned, readData, signTransaction } from "../support/client/client";

/** With one signature. */
const NETWORK_FEE_LAMPORTS = 5_000;

type Build = DataAt<"POST", "/api/withdraw/build">;

/** Creates a saver whose service wallet holds `sol`, and a wallet that receives the withdrawals. */
async function createSaverWith(sol: number) {
  const saver = await createSaver({ userSol: 0, serviceSol: sol });
  return { ...saver, destination: (await createWallet()).address };
}
type Withdrawer = Awaited<ReturnType<typeof createSaverWith>>;

function buildWithdrawal({ user, serviceWallet, destination }: Withdrawer, fields: object) {
  const body = { serviceWalletPubkey: serviceWallet.address, destination, ...fields };
  return post("/api/withdraw/build", body, { headers: user.headers });
}

/** Signs every transaction with the service wallet alone, relays them in order, and checks the figures on the chain. */
async function executeWithdrawal(saver: Withdrawer, fields: object): Promise<Build> {
  const { user, serviceWallet, destination } = saver;
  const readBalances = async () => (await readLamports(serviceWallet.address, destination)) as [number, number];
  const [serviceBefore, destinationBefore] = await readBalances();
  const build = await readData(buildWithdrawal(saver, fields));
  expect(build).toMatchObject({ ready: true, reason: null, destination });
  for (const { transaction } of build.transactions) {
    await readData(postSigned(signTransaction(transaction, serviceWallet.keys), user.headers));
  }
  const { costs, remainingLamports, receivedLamports } = build;
  const [serviceAfter, destinationAfter] = await readBalances();
  expect([serviceAfter, destinationAfter - destinationBefore]).toEqual([remainingLamports, receivedLamports]);
  expect(costs.networkFeeLamports).toBe(NETWORK_FEE_LAMPORTS * build.transactions.length);
  expect(serviceBefore + costs.returnedDepositLamports).toBe(
    costs.networkFeeLamports + costs.tokenAccountDepositLamports + receivedLamports + remainingLamports,
  );
  return build;
}

/** Of the only transaction. */
function readSentAmounts({ transactions }: Build): Record<string, string> {
  expect(transactions).toHaveLength(1);
  return Object.fromEntries(transactions[0]!.assets.map(({ symbol, amount }) => [symbol, amount]));
}

describe("a withdrawal of everything", () => {
  test("delivers two swapped assets and all SOL to the lamport", async () => {
    const saver = await createSaverWith(1);
    const allocations = [
      { asset: "BTC", pct: 60 },
      { asset: "USDC", pct: 40 },
    ];
    await buyAssets(saver, { allocations });
    const boughtBalances = await readTokenBalances(saver.serviceWallet.address);
    expect(Object.keys(boughtBalances).sort()).toEqual([ASSETS.BTC.mint, ASSETS.USDC.mint].sort());

    const build = await executeWithdrawal(saver, { all: true });
    expect(readSentAmounts(build)).toEqual({
      BTC: `${boughtBalances[ASSETS.BTC.mint]}`,
      USDC: `${boughtBalances[ASSETS.USDC.mint]}`,
      SOL: `${build.receivedLamports}`,
    });
    expect(build).toMatchObject({ remainingLamports: 0, complete: true, leftBehind: [] });
    expect(build.costs.tokenAccountDepositLamports).toBe(2 * (await readRent(165)));
    expect(await getConnection().getAccountInfo(new PublicKey(saver.serviceWallet.address))).toBeNull();
    expect(await readTokenBalances(saver.serviceWallet.address)).toEqual({});
    expect(await readTokenBalances(saver.destination)).toEqual(boughtBalances);
  });

  test("delivers wrapped SOL and Token-2022 tokens and closes every token account", async () => {
    const [{ user: issuer }, saver] = [await createSaver({ userSol: 10 }), await createSaverWith(0.1)];
    const owner = saver.serviceWallet.address;
    await wrapSolFor(issuer, owner, 70_000_000);
    await issueTokens(issuer, owner, { amount: 0n });
    const plainMint = await issueTokens(issuer, owner, { kind: "2022", amount: 77n });
    const mintWithFee = await issueTokens(issuer, owner, { kind: "2022 with a transfer fee", amount: 100_000n });
    const build = await executeWithdrawal(saver, { all: true });
    expect(build.remainingLamports).toBe(0);
    expect(build.receivedLamports).toBeGreaterThan(170_000_000);
    expect(await readTokenBalances(owner)).toEqual({});
    // The mint withholds 0.1 % in the recipient's account.
    expect(await readTokenBalances(saver.destination)).toEqual({ [plainMint]: 77n, [mintWithFee]: 99_900n });
  });
});

test("200: a partial withdrawal keeps the token account open until the whole balance is sent", async () => {
  const saver = await createSaverWith(0.5);
  await buyAssets(saver, {});
  const { [ASSETS.BTC.mint]: balance = 0n } = await readTokenBalances(saver.serviceWallet.address);
  const half = balance / 2n;
  const firstPart = await executeWithdrawal(saver, { asset: "BTC", amount: String(half) });
  expect(firstPart).toMatchObject({ receivedLamports: 0, costs: { returnedDepositLamports: 0 } });
  expect(readSentAmounts(firstPart)).toEqual({ BTC: String(half) });
  expect(await readTokenBalances(saver.serviceWallet.address)).toEqual({ [ASSETS.BTC.mint]: balance - half });

  const { costs } = await executeWithdrawal(saver, { asset: "BTC" });
  expect(costs).toMatchObject({ tokenAccountDepositLamports: 0, returnedDepositLamports: await readRent(165) });
  expect(await readTokenBalances(saver.serviceWallet.address)).toEqual({});
  expect(await readTokenBalances(saver.destination)).toEqual({ [ASSETS.BTC.mint]: balance });
});

test("200: a dollar token that is never bought here is withdrawn by its name, in part or with everything", async () => {
  const saver = await createSaverWith(0.5);
  const { mint } = OTHER_DOLLARS.PYUSD;
  const { address: owner } = saver.serviceWallet;
  const bought = await buyFromMarket(saver.serviceWallet, mint, 100_000_000);
  const { balances } = await readData(get(`/api/portfolio/${owner}`));
  expect(balances[1]).toMatchObject({ asset: null, symbol: "PYUSD", amount: `${bought}`, priceUsd: 1 });
  const firstPart = await executeWithdrawal(saver, { asset: "PYUSD", amount: "5000000" });
  expect(readSentAmounts(firstPart)).toEqual({ PYUSD: "5000000" });
  const build = await executeWithdrawal(saver, { all: true });
  expect(readSentAmounts(build)).toMatchObject({ PYUSD: `${bought - 5_000_000n}` });
  expect(await readTokenBalances(owner)).toEqual({});
  expect(await readTokenBalances(saver.destination)).toEqual({ [mint]: bought });
});

test("200: a build that is not ready names the largest amount that leaves the rent-exempt minimum", async () => {
  const saver = await createSaverWith(0.1);
  const rent = await readRent();
  const maxLamports = 100_000_000 - NETWORK_FEE_LAMPORTS - rent;
  const tooLarge = await readData(buildWithdrawal(saver, { asset: "SOL", amount: String(maxLamports + 1) }));
  expect(tooLarge).toMatchObject({
    ready: false,
    reason: expect.stringMatching(new RegExp(`at most ${maxLamports} lamports`)),
  });
  expect((await executeWithdrawal(saver, { asset: "SOL", amount: String(maxLamports) })).remainingLamports).toBe(rent);
});
