import { createHash, randomBytes } from "node:crypto";
import { PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import { SYSTEM_PROGRAM } from "../../solana/programs";
import { executeRun } from "./execute";
import { addressBytes, decodeTransaction } from "./guard";
import type { Core } from "./run";
import { SLOT_MS } from "./slot-clock";
import { RPC_CODES, RpcError, type TransactionRecord } from "./types";

/** How far back the past goes, and how many payments it holds: nearly three a day, so that the change of a week is worth investing. */
const DAYS = 30;
const PAYMENTS = 80;
const DAY_MS = 86_400_000;
/** Whoever has transactions of this age has a past. */
const PAST_MS = (DAYS / 2) * DAY_MS;
/** Lamports of one payment, at least and beyond: above the rent of a new account, and of the order of a purchase. */
const SMALLEST = 6_000_000;
const RANGE = 200_000_000;
const FEE_LAMPORTS = 5_000;

/**
 * Lets a wallet have paid for things over the last month: real transactions, run with the clock set back to their moments
 * and without its signatures, which only the wallet could make. The money comes from nowhere, a day before the first. What
 * else happened on the chain stays as it was, and these stand in the history where they belong. Nobody proves here whose wallet
 * it is, so each gets a past once: what a stranger can add to it is bounded.
 * @returns how many payments were added; 0 where the wallet has a past already
 * @throws RpcError -32602 for what is no wallet: its account would be lost
 */
export function addPastPayments(core: Core, wallet: string, shops: readonly string[]): number {
  if (shops.length === 0) throw new RpcError(RPC_CODES.invalidParams, "Invalid params: shops are expected");
  for (const address of [wallet, ...shops]) addressBytes(address);
  const account = core.ledger.get(wallet);
  if (account && (account.owner !== SYSTEM_PROGRAM || account.data.length > 0)) {
    throw new RpcError(RPC_CODES.invalidParams, "Invalid param: only a wallet can have paid");
  }
  const known = core.history.forAddress(wallet, { limit: Number.MAX_SAFE_INTEGER }, core.clock.slot());
  if (known.some(({ blockTime }) => blockTime * 1000 < core.now() - PAST_MS)) return 0;
  const from = new PublicKey(wallet);
  const nonce = randomBytes(32);
  const numbers = Array.from({ length: PAYMENTS }, (_, i) => numberOf(nonce, i));
  const amounts = numbers.map((number) => SMALLEST + Math.floor(number * RANGE));
  const before = account?.lamports ?? 0n;
  const needed = BigInt(amounts.reduce((sum, lamports) => sum + lamports + FEE_LAMPORTS, 0));
  core.ledger.set(wallet, { lamports: before + needed, owner: SYSTEM_PROGRAM, data: new Uint8Array() });
  const records = amounts.map((lamports, i) => {
    // Evenly over the month, each within its own part of it.
    const ageMs = Math.floor(((PAYMENTS - i - numbers[i]! * 0.9) / PAYMENTS) * DAYS * DAY_MS);
    const to = new PublicKey(shops[Math.floor(numberOf(nonce, i + PAYMENTS) * shops.length)]!);
    return runInPast(core, SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports }), from, ageMs);
  });
  core.history.add(...records);
  // Saved with what is new: nothing older waits for it.
  const saved = records.map(({ signature }) => ({ ...core.history.info(signature)!, slot: core.clock.slot() }));
  core.unsaved.records.push(...saved);
  core.changed();
  return PAYMENTS;
}

function runInPast(
  core: Core,
  instruction: ReturnType<typeof SystemProgram.transfer>,
  payerKey: PublicKey,
  ageMs: number,
): TransactionRecord {
  const { clock, ledger, native } = core;
  const slot = clock.slot() - Math.floor(ageMs / SLOT_MS);
  const message = new TransactionMessage({
    payerKey,
    recentBlockhash: clock.hashOf(slot),
    instructions: [instruction],
  }).compileToV0Message();
  const raw = new VersionedTransaction(message, [randomBytes(64)]).serialize();
  const when = { slot, blockTime: Math.floor((core.now() - ageMs) / 1000) };
  ledger.svm.setSigverify(false);
  try {
    const record = executeRun(native, ledger, decodeTransaction(raw), when, clock.slot());
    if (record?.err !== null) throw new Error("a payment of the past did not run");
    core.counts.transactions++;
    return record;
  } finally {
    ledger.svm.setSigverify(true);
  }
}

/** From 0 to below 1. */
function numberOf(nonce: Uint8Array, index: number): number {
  return createHash("sha256").update(nonce).update(String(index)).digest().readUInt32LE(0) / 2 ** 32;
}
