import { beforeAll, describe, expect, inject, test } from "vitest";
import { ASSETS } from "../../lib/domain/assets";
import { NATIVE_MINT } from "../../lib/solana/programs";
import { buildWrapFor, buyAssets, createSaver, readLamports, type Saver } from "../support/chain/chain";
import { fund, get, post, postSigned, readData, signTransaction } from "../support/client/client";

/** With one signature. */
const NETWORK_FEE_LAMPORTS = 5_000;

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Item = any;

const readActivity = (address: string) => readData(get(`/api/activity/${address}`));
const readItems = async (address: string): Promise<Item[]> => (await readActivity(address)).items;

const createSolChange = (lamports: number) => ({
  asset: "SOL",
  symbol: "SOL",
  mint: NATIVE_MINT,
  amount: String(lamports),
  decimals: 9,
  change: lamports / 1e9,
});

async function saveRoundUp(saver: Saver): Promise<Item> {
  const { transaction, breakdown } = await buildWrapFor(saver, { txValueUsd: 4.98, plan: "sprout" });
  await readData(postSigned(signTransaction(transaction!.base64, saver.user.keys), saver.user.headers));
  return breakdown;
}

describe("a wallet with every kind of activity", () => {
  let saver: Saver;
  let breakdown: Item;

  beforeAll(async () => {
    saver = await createSaver({ userSol: 1 });
    breakdown = await saveRoundUp(saver);
    await fund(saver.serviceWallet.address, 0.5);
    await buyAssets(saver, {});
    const body = { serviceWalletPubkey: saver.serviceWallet.address, destination: saver.user.address, all: true };
    const withdrawal = await readData(post("/api/withdraw/build", body, { headers: saver.user.headers }));
    const signedTransaction = signTransaction(withdrawal.transactions[0]!.transaction, saver.serviceWallet.keys);
    await readData(postSigned(signedTransaction, saver.user.headers));
  });

  test("lists saving, deposit, swap and withdrawal of the service wallet, newest first", async () => {
    const { items, nextBefore } = await readActivity(saver.serviceWallet.address);
    expect(items.map(({ type }: Item) => type)).toEqual(["withdrawal", "swap", "deposit", "round_up"]);
    expect(nextBefore).toBeNull();
    for (const item of items) {
      expect(item).toMatchObject({ status: "confirmed", slot: expect.any(Number) });
      expect(Math.abs(Date.parse(item.time!) - Date.now())).toBeLessThan(120_000);
    }
  });

  test("shows a saving to both wallets with the same price and service fee", async () => {
    const arrivedLamports = breakdown.userInvestmentLamports + breakdown.activationLamports;
    const userItem = (await readItems(saver.user.address)).find(({ type }) => type === "round_up");
    const serviceItem = (await readItems(saver.serviceWallet.address)).find(({ type }) => type === "round_up");
    expect(breakdown.activationLamports).toBeGreaterThan(0);
    expect(userItem).toMatchObject({
      txSignature: serviceItem.txSignature,
      amounts: [createSolChange(-(arrivedLamports + breakdown.serviceFeeLamports))],
      networkFeeLamports: NETWORK_FEE_LAMPORTS,
      serviceFeeLamports: breakdown.serviceFeeLamports,
      tokenAccountDepositLamports: 0,
      priceUsd: expect.any(Number),
    });
    expect(serviceItem).toMatchObject({
      amounts: [createSolChange(arrivedLamports)],
      networkFeeLamports: null,
      serviceFeeLamports: breakdown.serviceFeeLamports,
      priceUsd: userItem.priceUsd,
    });
    for (const { amounts, priceUsd, usdValue } of [userItem, serviceItem])
      expect(usdValue).toBeCloseTo(Math.abs(amounts[0].change) * priceUsd, 5);
  });

  test("lists amounts and network fees that add up to the balance", async () => {
    for (const { address } of [saver.user, saver.serviceWallet]) {
      const items = await readItems(address);
      const total = items.reduce((sum, { amounts, networkFeeLamports }) => {
        const lamports = amounts.find(({ symbol }: Item) => symbol === "SOL")?.amount ?? "0";
        return sum + Number(lamports) - (networkFeeLamports ?? 0);
      }, 0);
      expect([total]).toEqual(await readLamports(address));
    }
  });

  test("contains no address except the wallet's own and mints", async () => {
    const allowed = new Set([
      saver.serviceWallet.address,
      NATIVE_MINT,
      ...Object.values(ASSETS).map(({ mint }) => mint),
    ]);
    const { text } = await get(`/api/activity/${saver.serviceWallet.address}`);
    const addresses = text.match(/"[1-9A-HJ-NP-Za-km-z]{32,44}"/g) ?? [];
    expect(addresses.filter((address) => !allowed.has(address.slice(1, -1)))).toEqual([]);
    for (const collector of inject("apps").feeCollectors) expect(text).not.toContain(collector);
  });
});
