import { beforeAll, describe, expect, test } from "vitest";
import { ASSETS } from "../../lib/domain/assets";
import { buyAssets, createSaver, readLamports, readRent, type Saver } from "../support/chain/chain";
import { get, post, postSigned, readData, signTransaction } from "../support/client/client";

function buildSale({ user, serviceWallet }: Saver, fields: object) {
  const body = { serviceWalletPubkey: serviceWallet.address, ...fields };
  return post("/api/swap/sell", body, { headers: user.headers });
}

async function readBalance(saver: Saver, asset: string): Promise<number> {
  const { balances } = await readData(get(`/api/portfolio/${saver.serviceWallet.address}`));
  return Number(balances.find((holding: { asset: string | null }) => holding.asset === asset)?.amount ?? 0);
}

async function sellAsset(saver: Saver, fields: object) {
  const sale = await readData(buildSale(saver, fields));
  expect(sale).toMatchObject({ ready: true, reason: null });
  const { transaction, quote } = sale.transactions[0]!;
  const signedTransaction = signTransaction(transaction, saver.serviceWallet.keys);
  const { txSignature } = await readData(postSigned(signedTransaction, saver.user.headers));
  const { items } = await readData(get(`/api/activity/${saver.serviceWallet.address}?limit=1`));
  expect(items[0]).toMatchObject({ txSignature, type: "swap", status: "confirmed" });
  return { sale, quote, item: items[0]! };
}

describe("a wallet that has invested everything in BTC", () => {
  let saver: Saver;
  let boughtAmount: number;
  beforeAll(async () => {
    saver = await createSaver({ userSol: 0, serviceSol: 0.5 });
    await buyAssets(saver, {});
    boughtAmount = await readBalance(saver, "BTC");
  });

  test("sells exactly the requested part for unwrapped SOL", async () => {
    const amount = Math.floor(boughtAmount / 3);
    const [lamportsBefore] = await readLamports(saver.serviceWallet.address);
    const { sale, quote } = await sellAsset(saver, { asset: "BTC", amount: String(amount), into: "SOL" });
    expect(quote).toMatchObject({ inputAmount: String(amount), targetAsset: "SOL", outputMint: ASSETS.SOL.mint });
    const [lamportsAfter] = await readLamports(saver.serviceWallet.address);
    expect(lamportsAfter! - lamportsBefore!).toBe(Number(quote.outputAmount) - sale.costs.networkFeeLamports);
    expect(sale.costs.tokenAccountDepositLamports).toBe(0);
    expect(await readBalance(saver, "BTC")).toBe(boughtAmount - amount);
  });

  test("sells the remaining BTC for at least the quoted minimum of USDC", async () => {
    const [lamportsBefore] = await readLamports(saver.serviceWallet.address);
    const { sale, quote, item } = await sellAsset(saver, { asset: "BTC", all: true, into: "USDC" });
    expect(await readBalance(saver, "USDC")).toBeGreaterThanOrEqual(Number(quote.minimumOutputAmount));
    const { networkFeeLamports, tokenAccountDepositLamports } = sale.costs;
    expect(tokenAccountDepositLamports).toBe(await readRent(165));
    const [lamportsAfter] = await readLamports(saver.serviceWallet.address);
    expect(lamportsBefore! - lamportsAfter!).toBe(networkFeeLamports + tokenAccountDepositLamports);
    expect(item.usdValue).toBeCloseTo(sale.balanceUsd, 2);
    const emptySale = await readData(buildSale(saver, { asset: "BTC", all: true, into: "SOL" }));
    expect(emptySale).toMatchObject({ ready: false, reason: "The wallet holds no BTC.", transactions: [] });
  });
});
