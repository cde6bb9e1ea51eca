import { Keypair } from "@solana/web3.js";
import { expect, test, vi } from "vitest";
import { ASSETS } from "../../lib/domain/assets";
import { formatMark } from "../../lib/domain/marks";
import { createReferenceMark } from "../../lib/domain/reference";
import { toWebsocketUrl } from "../../lib/sandbox/options";
import { attach } from "../../lib/sdk/attach";
import { toBase64 } from "../../lib/solana/bytes";
import { buildSetComputeUnitLimit } from "../../lib/solana/compute-budget";
import { type InstructionLike, toReadonly } from "../../lib/solana/instructions";
import { buildMemo } from "../../lib/solana/memo";
import { buildSystemTransfer } from "../../lib/solana/system-instructions";
import {
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../lib/solana/token-instructions";
import { composeTransaction } from "../../lib/solana/transactions";
import { startTemporaryAppForFile } from "../support/app/app-for-file";
import { installForeignPrograms } from "../support/app/foreign-programs";
import { buildSignedTransaction, getConnection, sendDirectly, setTargetRpc } from "../support/chain/chain";
import { toWeb3 } from "../support/chain/sandbox-rig";
import { buyFromMarket } from "../support/chain/tokens";
import {
  createWallet,
  deriveServiceWallet,
  fund,
  get,
  post,
  postSigned,
  readData,
  signTransaction,
  type Wallet,
} from "../support/client/client";

/* Pays a shop with the packages that other developers use, past the service, and finds each payment in the API. */

interface Payment {
  signature: string;
  /** Base units as decimal digits. */
  amount: string;
  asset?: "USDC";
}

const app = await startTemporaryAppForFile("senders", {});
const rpcUrl = await app.waitForLine((line) => /"sandboxRpc":"(http:\/\/127\.0\.0\.1:\d+)"/.exec(line)?.[1]);
setTargetRpc(rpcUrl);

async function createFundedWallet() {
  const wallet = await createWallet();
  await fund(wallet.address, 2);
  await buyFromMarket(wallet, ASSETS.USDC.mint, 200_000_000);
  return wallet;
}

/** Base units by asset. */
async function readPortfolio(address: string): Promise<Record<string, bigint>> {
  const { balances } = await readData(get(`/api/portfolio/${address}`));
  return Object.fromEntries(balances.map(({ asset, amount }) => [asset, BigInt(amount)]));
}

test.each([
  ["Anza's kit", "kit"],
  ["gill", "gill"],
  ["Solana Pay", "solana-pay"],
  ["web3.js 1.x and spl-token", "web3js"],
  ["Metaplex umi", "umi"],
  ["Anchor", "anchor"],
])("payments that %s sends and confirms appear with their exact amounts", async (_, name) => {
  const programs = await installForeignPrograms(name);
  const [payer, shop] = [await createFundedWallet(), await createFundedWallet()];
  const shopBefore = await readPortfolio(shop.address);
  const secretKey = Buffer.from(payer.keys.secretKey).toString("hex");
  const args = [rpcUrl, toWebsocketUrl(rpcUrl), secretKey, shop.address, ASSETS.USDC.mint];
  const payments: Payment[] = JSON.parse(await programs.run(["program.mjs", ...args]));
  expect(payments.length).toBeGreaterThan(0);
  const entries = payments.map(({ signature, amount, asset = "SOL" }) => ({ signature, asset, amount: `-${amount}` }));

  await vi.waitFor(
    async () => {
      const spending = await readData(get(`/api/spending/${payer.address}`, { headers: payer.headers }));
      const spent = spending.items.map(({ txSignature, amounts: [paid] }) => {
        return { signature: txSignature, asset: paid!.asset, amount: paid!.amount };
      });
      expect(spent.reverse()).toEqual(entries);
      const activity = await readData(get(`/api/activity/${payer.address}`));
      for (const { signature, asset, amount } of entries)
        expect(activity.items).toContainEqual(
          expect.objectContaining({
            txSignature: signature,
            amounts: expect.arrayContaining([expect.objectContaining({ asset, amount })]),
          }),
        );
      const shopAfter = await readPortfolio(shop.address);
      for (const asset of ["SOL", "USDC"]) {
        const received = payments.filter((payment) => (payment.asset ?? "SOL") === asset);
        const units = received.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
        expect(shopAfter[asset]! - shopBefore[asset]!).toBe(units);
      }
    },
    { timeout: 30_000, interval: 500 },
  );
});

test("what a shop pulls with spl-token is a payment, and its change is saved once", async () => {
  const programs = await installForeignPrograms("web3js");
  const [payer, shop] = [await createFundedWallet(), await createFundedWallet()];
  const service = await deriveServiceWallet(payer);
  const [payerKey, shopKey] = [payer, shop].map(({ keys }) => Buffer.from(keys.secretKey).toString("hex"));
  const signature = (await programs.run(["pull.mjs", rpcUrl, payerKey!, shopKey!, ASSETS.USDC.mint])).trim();
  const path = `/api/spending/${payer.address}`;
  const spending = await vi.waitFor(
    async () => {
      const answer = await readData(get(path, { headers: payer.headers }));
      expect(answer.batches).toHaveLength(1);
      return answer;
    },
    { timeout: 30_000, interval: 500 },
  );
  expect(spending.items).toMatchObject([{ txSignature: signature, usdValue: 27.63, pulled: { by: shop.address } }]);
  expect((await readData(get(`/api/activity/${payer.address}`))).items).toContainEqual(
    expect.objectContaining({ txSignature: signature, type: "withdrawal", pulled: { by: shop.address } }),
  );
  const request = { ...spending.batches[0]!, userPubkey: payer.address, serviceWalletPubkey: service.address };
  const wrap = await readData(post("/api/wrap/batch", request, { headers: payer.headers }));
  expect(wrap.breakdown.roundUpUsd).toBe(0.07);
  const signed = signTransaction(wrap.transaction!.base64, payer.keys);
  expect(await readData(postSigned(signed, payer.headers))).toMatchObject({ confirmed: true });
  expect(await readData(get(path, { headers: payer.headers }))).toMatchObject({ savedThrough: signature, batches: [] });
});

/** Checks a payment with `validateTransfer`. @returns "valid" @throws its error */
async function validate(
  ...args: [signature: string, recipient: string, reference: string, amount: string, ...string[]]
) {
  const programs = await installForeignPrograms("solana-pay");
  return JSON.parse(await programs.run(["validate.mjs", rpcUrl, toWebsocketUrl(rpcUrl), ...args]));
}

/** Builds the saving of a payment of 3.21 dollars. */
async function buildSaving(payer: Wallet, fields: { reference?: string } = {}) {
  const service = await deriveServiceWallet(payer);
  const request = { txValueUsd: 3.21, userPubkey: payer.address, serviceWalletPubkey: service.address, ...fields };
  return { service, wrap: await readData(post("/api/wrap", request, { headers: payer.headers })) };
}

test("a Solana Pay shop accepts a sale with a saving in the same transaction", async () => {
  const [payer, shop] = [await createFundedWallet(), await createFundedWallet()];
  const { service, wrap } = await buildSaving(payer);
  const reference = Keypair.generate().publicKey.toBase58();
  const sale = composeTransaction({
    payer: payer.address,
    blockhash: wrap.transaction!.blockhash,
    instructions: [
      buildSetComputeUnitLimit(60_000),
      buildMemo("order 7", payer.address),
      buildSystemTransfer(payer.address, shop.address, 21_400_000n, reference),
    ],
  });
  const request = { wallet: payer.address, serviceWallet: service.address, purchasesUsd: [3.21] };
  const signed = signTransaction(attach(toBase64(sale.bytes), wrap, request), payer.keys);
  const { confirmed, txSignature } = await readData(postSigned(signed, payer.headers));
  expect(confirmed).toBe(true);
  expect(await validate(txSignature, shop.address, reference, "0.0214", "order 7")).toBe("valid");
});

test("Solana Pay finds the saving of an order by its reference, and accepts it", async () => {
  const payer = await createFundedWallet();
  const order = createReferenceMark(payer.address, "order 7");
  const { service, wrap } = await buildSaving(payer, { reference: "order 7" });
  const signed = signTransaction(wrap.transaction!.base64, payer.keys);
  const { txSignature } = await readData(postSigned(signed, payer.headers));
  const { userInvestmentLamports, activationLamports } = wrap.breakdown;
  const savedSol = String((userInvestmentLamports + activationLamports) / 1e9);
  expect(await validate(txSignature, service.address, order.key, savedSol, formatMark(order))).toBe("valid");
});

test("Solana Pay refuses a sale that opens the shop's token account, and accepts the next one", async () => {
  const [payer, shop] = [await createFundedWallet(), await createWallet()];
  const reference = Keypair.generate().publicKey.toBase58();
  const { mint, decimals } = ASSETS.USDC;
  const [source, destination] = [payer, shop].map(({ address }) => deriveAssociatedTokenAddress(address, mint));
  const transfer = { source: source!, mint, destination: destination!, authority: payer.address, decimals };
  const payment = buildTransferChecked({ ...transfer, amount: 3_210_000n });
  payment.accounts.push(toReadonly(reference));
  const sell = async (...opening: InstructionLike[]) => {
    const instructions = [...opening, buildMemo("order 7", payer.address), payment].map(toWeb3);
    const signature = await sendDirectly(await buildSignedTransaction({ signers: [payer], instructions }));
    await getConnection().confirmTransaction(signature, "confirmed");
    return validate(signature, shop.address, reference, "3.21", "order 7", mint);
  };
  const opening = buildCreateAssociatedTokenAccount({ payer: payer.address, owner: shop.address, mint });
  await expect(sell(opening)).rejects.toThrow("ValidateTransferError: missing balance data");
  expect(await sell()).toBe("valid");
});
