import { createHash, randomBytes } from "node:crypto";
import { PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import { SYSTEM_PROGRAM } from "../../solana/programs";
import { executeOnLedger } from "./execute";
import { decodeAddress, decodeTransaction } from "./guard";
import type { Core } from "./run";
import { SLOT_MS } from "./slot-clock";
import { type TransactionRecord, throwInvalid } from "./types";

/** The length of the payment history, and its number of payments. A week's change is then worth investing. */
const DAYS = 30;
const PAYMENTS = 80;
const DAY_MS = 86_400_000;
/** A wallet with transactions older than this already has a history, ms. */
const HISTORY_AGE_MS = (DAYS / 2) * DAY_MS;
/** The smallest payment, and the range above it, lamports. Even the smallest exceeds the rent of a new account. */
const MIN_PAYMENT = 6_000_000;
const PAYMENT_RANGE = 200_000_000;
/** The fee of a transaction with one signature. */
const FEE_LAMPORTS = 5_000;

/**
 * Adds a month of payments to a wallet's history. They are real transactions, executed with the clock set back and
 * without the wallet's signatures, which only the wallet could make. The money is created a day before the first
 * payment. Other history stays unchanged, and the payments are inserted in order. The caller does not prove ownership
 * of the wallet, so each wallet gets a history only once. This limits what a stranger can add.
 * @returns the number of payments; 0 when the wallet already has a history
 * @throws RpcError -32602 for an address that is not a wallet, because its account would be overwritten
 */
export function addPastPayments(core: Core, wallet: string, shops: readonly string[]): number {
  if (shops.length === 0) throwInvalid("Invalid params: shops are expected");
  for (const address of [wallet, ...shops]) decodeAddress(address);
  const account = core.ledger.get(wallet);
  if (account && (account.owner !== SYSTEM_PROGRAM || account.data.length > 0)) {
    throwInvalid("Invalid param: only a wallet can have paid");
  }
  const entries = core.history.listForAddress(wallet, { limit: Number.MAX_SAFE_INTEGER }, core.clock.getSlot());
  if (entries.some(({ blockTime }) => blockTime * 1000 < core.now() - HISTORY_AGE_MS)) return 0;
  const from = new PublicKey(wallet);
  const nonce = randomBytes(32);
  const numbers = Array.from({ length: PAYMENTS }, (_, i) => deriveNumber(nonce, i));
  const amounts = numbers.map((number) => MIN_PAYMENT + Math.floor(number * PAYMENT_RANGE));
  const balance = account?.lamports ?? 0n;
  const totalLamports = BigInt(amounts.reduce((sum, lamports) => sum + lamports + FEE_LAMPORTS, 0));
  core.ledger.set(wallet, { lamports: balance + totalLamports, owner: SYSTEM_PROGRAM, data: new Uint8Array() });
  const records = amounts.map((lamports, i) => {
    // Spread the payments over the month, one in each equal part.
    const ageMs = Math.floor(((PAYMENTS - i - numbers[i]! * 0.9) / PAYMENTS) * DAYS * DAY_MS);
    const to = new PublicKey(shops[Math.floor(deriveNumber(nonce, i + PAYMENTS) * shops.length)]!);
    return runInPast(core, SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports }), from, ageMs);
  });
  core.history.add(...records);
  // Use the current slot for saving, so that older transactions do not wait for these.
  const unsavedRecords = records.map(({ signature }) => ({
    ...core.history.findInfo(signature)!,
    slot: core.clock.getSlot(),
  }));
  core.unsaved.records.push(...unsavedRecords);
  core.onChange();
  return PAYMENTS;
}

function runInPast(
  core: Core,
  instruction: ReturnType<typeof SystemProgram.transfer>,
  payerKey: PublicKey,
  ageMs: number,
): TransactionRecord {
  const { clock, ledger, native } = core;
  const slot = clock.getSlot() - Math.floor(ageMs / SLOT_MS);
  const message = new TransactionMessage({
    payerKey,
    recentBlockhash: clock.getHash(slot),
    instructions: [instruction],
  }).compileToV0Message();
  const raw = new VersionedTransaction(message, [randomBytes(64)]).serialize();
  const when = { slot, blockTime: Math.floor((core.now() - ageMs) / 1000) };
  ledger.svm.setSigverify(false);
  try {
    const record = executeOnLedger(native, ledger, decodeTransaction(raw), when, clock.getSlot());
    if (record?.err !== null) throw new Error("a payment of the past did not run");
    core.counts.transactions++;
    return record;
  } finally {
    ledger.svm.setSigverify(true);
  }
}

/** Returns the random number of an index, in [0, 1). The same nonce gives the same numbers. */
function deriveNumber(nonce: Uint8Array, index: number): number {
  return createHash("sha256").update(nonce).update(String(index)).digest().readUInt32LE(0) / 2 ** 32;
}
