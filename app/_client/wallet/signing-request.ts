import { listSandboxShops } from "@/lib/domain/spending/shops";
import { readMemo } from "@/lib/solana/memo";
import { COMPUTE_BUDGET_PROGRAM } from "@/lib/solana/programs";
import { type ReadTransaction, readTransaction } from "@/lib/solana/read-transaction";
import { readSystemTransfer } from "@/lib/solana/system-instructions";

export interface TransactionEffects {
  /** Payments from the wallet. `name` is set for addresses that the wallet knows. */
  payments: { to: string; name: string | null; lamports: bigint }[];
  notes: string[];
  /** Highest possible network fee, lamports. */
  networkFeeLamports: bigint;
  /** Programs whose effect cannot be read from the instructions. */
  unknown: string[];
}

/**
 * Describes what a transaction would do, from its bytes alone.
 * @param transaction base64
 * @param wallet address of the signer
 * @returns null when the transaction cannot be decoded
 */
export function readSigningRequest(
  transaction: string,
  wallet: string,
  serviceWallet: string | null,
): TransactionEffects | null {
  const names = new Map(listSandboxShops().map(({ name, address }) => [address, name]));
  if (serviceWallet) names.set(serviceWallet, "your savings wallet");
  const read = readOrNull(transaction);
  if (!read) return null;
  const effects: TransactionEffects = {
    payments: [],
    notes: [],
    networkFeeLamports: read.networkFeeLamports,
    unknown: [],
  };
  for (const one of read.instructions) {
    const transfer = readSystemTransfer(one);
    const note = readMemo(one, wallet);
    if (transfer?.to && transfer.from === wallet) {
      const { to, lamports } = transfer;
      effects.payments.push({ to, name: names.get(to) ?? null, lamports });
    } else if (note !== null) effects.notes.push(note);
    else if (one.program !== COMPUTE_BUDGET_PROGRAM) effects.unknown.push(one.program);
  }
  return effects;
}

function readOrNull(transaction: string): ReadTransaction | null {
  try {
    return readTransaction(transaction);
  } catch {
    return null;
  }
}
