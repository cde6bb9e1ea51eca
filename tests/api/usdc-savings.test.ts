import { afterEach, expect, test } from "vitest";
import { ASSETS } from "../../lib/domain/assets";
import { verifyWrap } from "../../lib/sdk/verify/wrap";
import { createSaver, measureLamportChanges, removeFaults, type Saver } from "../support/chain/chain";
import { buyFromMarket, readTokenBalances } from "../support/chain/tokens";
import { get, post, postSigned, readData, signTransaction } from "../support/client/client";

afterEach(removeFaults);

/** Creates a saver with USDC and little SOL: 1 SOL buys about 150 USDC, and 0.003 SOL stay for fees. */
async function createDollarSaver(): Promise<Saver> {
  const saver = await createSaver({ userSol: 1, serviceSol: 0 });
  await buyFromMarket(saver.user, ASSETS.USDC.mint, 990_000_000);
  return saver;
}

const readUsdc = async (wallet: string) => (await readTokenBalances(wallet))[ASSETS.USDC.mint] ?? 0n;

const buildSaving = ({ user, serviceWallet }: Saver, fields: object = {}) => {
  const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet.address };
  const body = { txValueUsd: 4.63, plan: "tree" as const, payWith: "USDC" as const, ...wallets, ...fields };
  return post("/api/wrap", body, { headers: user.headers });
};

test("200: saves 0.37 USDC of a payment of 4.63 USD, the fee included, and lists it as a saving", async () => {
  const saver = await createDollarSaver();
  const { user, serviceWallet } = saver;
  const wrap = await readData(buildSaving(saver));
  const { breakdown } = wrap;
  expect(breakdown).toMatchObject({
    roundUpUsd: 0.37,
    roundUpUnits: 370_000,
    serviceFeeUnits: 1_850,
    userInvestmentUnits: 368_150,
    roundUpLamports: 0,
    activationLamports: 0,
  });
  expect(breakdown.totalLamports).toBe(breakdown.networkFeeLamports + breakdown.tokenAccountDepositLamports);
  const request = {
    wallet: user.address,
    serviceWallet: serviceWallet.address,
    purchasesUsd: [4.63],
    plan: "tree" as const,
  };
  expect(verifyWrap(wrap, { ...request, payWith: "USDC" }).roundUpUnits).toBe(370_000n);
  const before = await readUsdc(user.address);
  const collectorBefore = await readUsdc(breakdown.feeCollector);
  const [solChange] = await measureLamportChanges([user.address], () =>
    readData(postSigned(signTransaction(wrap.transaction!.base64, user.keys), user.headers)),
  );
  expect(before - (await readUsdc(user.address))).toBe(370_000n);
  expect(await readUsdc(serviceWallet.address)).toBe(368_150n);
  expect((await readUsdc(breakdown.feeCollector)) - collectorBefore).toBe(1_850n);
  expect(-solChange!).toBe(breakdown.totalLamports);
  const { items } = await readData(get(`/api/activity/${user.address}?limit=1`));
  expect(items[0]).toMatchObject({
    type: "round_up",
    usdValue: 0.37,
    amounts: [{ asset: "SOL" }, { asset: "USDC", change: -0.37 }],
  });
  const spending = await readData(get(`/api/spending/${user.address}`, { headers: user.headers }));
  expect(spending.batches).toEqual([]);
});
