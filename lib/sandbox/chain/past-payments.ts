import { createHash, randomBytes } from "node:crypto";
import { PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import { SYSTEM_PROGRAM } from "../../solana/programs";
import type { Core } from "./core";
import { decodeAddress, decodeTransaction } from "./decode-transaction";
import { executeOnLedger } from "./execute";
import { refuseParams, type TransactionRecord } from "./types";

/** Length of the payment history, and its number of payments: a week's round-ups are then enough to invest. */
const HISTORY_DAYS = 30;
const PAYMENT_COUNT = 80;
const DAY_MS = 86_400_000;
/** A wallet with a transaction older than this already has a history, ms. */
const HISTORY_AGE_MS = (HISTORY_DAYS / 2) * DAY_MS;
/** The smallest payment, and the range above it, lamports. Even the smallest exceeds the rent of a new account. */
const MIN_PAYMENT_LAMPORTS = 6_000_000;
const PAYMENT_RANGE_LAMPORTS = 200_000_000;
/** The network fee of a transaction with one signature. The past is charged by the flat model, as it was. */
const NETWORK_FEE_LAMPORTS = 5_000;

/**
 * Adds a month of payments to a wallet's history. The runtime executes them as real transactions, with slots and times
 * of the past. Their signatures are random, because only the wallet could sign. The wallet first gets the money that
 * the payments cost, so its balance stays the same. Each wallet gets a history only once. This limits what a stranger
 * can add, because the caller does not prove ownership of the wallet.
 * @returns the number of payments; 0 when the wallet already has a history
 * @throws RpcError -32602 for an address that is not a wallet, because its account would be overwritten
 */
export function addPastPayments(core: Core, wallet: string, shops: readonly string[]): number {
  if (shops.length === 0) refuseParams("Invalid params: shops are expected");
  for (const address of [wallet, ...shops]) decodeAddress(address);
  const account = core.ledger.getAccount(wallet);
  if (account && (account.owner !== SYSTEM_PROGRAM || account.data.length > 0)) {
    refuseParams("Invalid param: only a wallet can have paid");
  }
  const slot = core.clock.getSlot();
  const knownTransactions = core.history.listForAddress(wallet, { limit: Number.MAX_SAFE_INTEGER }, slot);
  if (knownTransactions.some(({ blockTime }) => blockTime * 1000 < core.now() - HISTORY_AGE_MS)) return 0;
  const payer = new PublicKey(wallet);
  const seed = randomBytes(32);
  const randomFractions = Array.from({ length: PAYMENT_COUNT }, (_, i) => deriveFraction(seed, i));
  const paidLamports = randomFractions.map(
    (fraction) => MIN_PAYMENT_LAMPORTS + Math.floor(fraction * PAYMENT_RANGE_LAMPORTS),
  );
  const totalLamports = BigInt(paidLamports.reduce((sum, lamports) => sum + lamports + NETWORK_FEE_LAMPORTS, 0));
  const lamportsBefore = account?.lamports ?? 0n;
  const fundedAccount = { lamports: lamportsBefore + totalLamports, owner: SYSTEM_PROGRAM, data: new Uint8Array() };
  core.ledger.setAccount(wallet, fundedAccount);
  const records = paidLamports.map((lamports, i) => {
    // Spread the payments over the month: one in each equal part, but not in its newest tenth, so that none is too close
    // to the next.
    const ageMs = Math.floor(((PAYMENT_COUNT - i - randomFractions[i]! * 0.9) / PAYMENT_COUNT) * HISTORY_DAYS * DAY_MS);
    const shop = new PublicKey(shops[Math.floor(deriveFraction(seed, i + PAYMENT_COUNT) * shops.length)]!);
    return runInPast(core, SystemProgram.transfer({ fromPubkey: payer, toPubkey: shop, lamports }), payer, ageMs);
  });
  core.history.addRecords(...records);
  core.recordChange();
  return PAYMENT_COUNT;
}

/** Runs one instruction as a transaction of `ageMs` ago. @returns its record */
function runInPast(
  core: Core,
  instruction: ReturnType<typeof SystemProgram.transfer>,
  payerKey: PublicKey,
  ageMs: number,
): TransactionRecord {
  const { clock, ledger, native } = core;
  const slot = clock.getSlot() - Math.floor(ageMs / clock.slotMs);
  const message = new TransactionMessage({
    payerKey,
    recentBlockhash: clock.getHash(slot),
    instructions: [instruction],
  });
  const wireBytes = new VersionedTransaction(message.compileToV0Message(), [randomBytes(64)]).serialize();
  const blockTime = Math.floor((core.now() - ageMs) / 1000);
  const runOptions = { feeModel: "flat", slot, blockTime, changeSlot: clock.getSlot() } as const;
  ledger.svm.setSigverify(false);
  try {
    const record = executeOnLedger(native, ledger, decodeTransaction(wireBytes), runOptions);
    if (record?.err !== null) throw new Error("a past payment failed");
    core.counts.transactions++;
    return record;
  } finally {
    ledger.svm.setSigverify(true);
  }
}

/** Returns a random fraction in [0, 1). The same seed and index give the same fraction. */
function deriveFraction(seed: Uint8Array, index: number): number {
  return createHash("sha256").update(seed).update(String(index)).digest().readUInt32LE(0) / 2 ** 32;
}
