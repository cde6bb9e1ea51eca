import type { VersionedTransaction } from "@solana/web3.js";
import { SYSTEM_PROGRAM } from "../solana/programs";
import { share } from "./money";
import { MINIMUM_FEE_BPS } from "./plans";

export interface SystemMovement {
  /** Who authorises it: the signer the lamports, or the seeded account they lie on, belong to. */
  from: string;
  to: string;
  lamports: bigint;
}

/** Tags of the System instructions that move lamports. Source: solana-system-interface `SystemInstruction`. */
const CREATE_ACCOUNT = 0;
const TRANSFER = 2;
const CREATE_ACCOUNT_WITH_SEED = 3;
const WITHDRAW_NONCE_ACCOUNT = 5;
const TRANSFER_WITH_SEED = 11;

/**
 * Lamports that top-level System instructions move.
 * @param keys all account keys of the transaction in index order (resolveAccountKeys)
 */
export function systemMovements({ message }: VersionedTransaction, keys: string[]): SystemMovement[] {
  const movements: SystemMovement[] = [];
  for (const { programIdIndex, accountKeyIndexes, data } of message.compiledInstructions) {
    if (keys[programIdIndex] !== SYSTEM_PROGRAM) continue;
    const accounts = accountKeyIndexes.map((index) => keys[index]);
    const movement = readMovement(data, accounts);
    if (movement) movements.push(movement);
  }
  return movements;
}

/** What one System instruction moves, null when it moves nothing. */
export function readMovement(data: Uint8Array, accounts: (string | undefined)[]): SystemMovement | null {
  if (data.length < 12) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const [first, second, third, , fifth] = accounts;
  const tag = view.getUint32(0, true);
  if (first === undefined || second === undefined) return null;
  if (tag === TRANSFER || tag === CREATE_ACCOUNT)
    return { from: first, to: second, lamports: view.getBigUint64(4, true) };
  // [funding account, base (signer), recipient]
  if (tag === TRANSFER_WITH_SEED && third !== undefined)
    return { from: second, to: third, lamports: view.getBigUint64(4, true) };
  // [nonce account, recipient, recent blockhashes, rent, authority (signer)]
  if (tag === WITHDRAW_NONCE_ACCOUNT && fifth !== undefined)
    return { from: fifth, to: second, lamports: view.getBigUint64(4, true) };
  if (tag === CREATE_ACCOUNT_WITH_SEED) return readCreateWithSeed(view, first, second);
  return null;
}

/** tag u32, base 32 bytes, seed as u64 length + bytes, lamports u64, … */
function readCreateWithSeed(view: DataView, from: string, to: string): SystemMovement | null {
  if (view.byteLength < 44) return null;
  const at = 44 + Number(view.getBigUint64(36, true));
  return at + 8 <= view.byteLength ? { from, to, lamports: view.getBigUint64(at, true) } : null;
}

/**
 * Whether deposits from others into service wallets carry the fee: a transfer to a fee collector, present even when the
 * least fee is 0, of at least floor(0.25 % × max(0, deposit − rentMin)) for each service wallet.
 * @param rentMin rent-exempt minimum of an empty account, lamports: an activation is not an investment
 */
export function carriesFee(
  movements: SystemMovement[],
  isServiceWallet: (address: string) => boolean,
  isCollector: (address: string) => boolean,
  rentMin: bigint,
): boolean {
  const deposits = new Map<string, bigint>();
  for (const { from, to, lamports } of movements) {
    if (from !== to && isServiceWallet(to)) deposits.set(to, (deposits.get(to) ?? 0n) + lamports);
  }
  if (deposits.size === 0) return true;
  let due = 0n;
  for (const deposit of deposits.values()) due += deposit > rentMin ? share(deposit - rentMin, MINIMUM_FEE_BPS) : 0n;
  const payments = movements.filter(({ to }) => isCollector(to));
  return payments.length > 0 && payments.reduce((sum, { lamports }) => sum + lamports, 0n) >= due;
}
