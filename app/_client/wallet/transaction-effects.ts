import { listSandboxShops } from "@/lib/domain/spending/shops";
import { readMemo } from "@/lib/solana/memo";
import { COMPUTE_BUDGET_PROGRAM } from "@/lib/solana/programs";
import { readTransaction, type TransactionContents } from "@/lib/solana/read-transaction";
import { readSystemTransfer } from "@/lib/solana/system-instructions";

/** The effects of a transaction as its instructions state them. */
export interface TransactionEffects {
  /**
   * SOL transfers from the wallet, those with a name first. `name` is set for the sandbox's shops and for the savings
   * wallet.
   */
  payments: { to: string; name: string | null; lamports: bigint }[];
  /** Texts of the memos that the wallet signs. */
  memos: string[];
  /** The highest possible network fee. */
  networkFeeLamports: bigint;
  /** Programs whose effect cannot be read from the instructions. */
  unknownPrograms: string[];
}

/**
 * Describes what a transaction would do, from its bytes alone.
 * @param transaction base64
 * @param wallet address of the signer
 * @returns null when the transaction cannot be decoded
 */
export function readTransactionEffects(
  transaction: string,
  wallet: string,
  serviceWallet: string | null,
): TransactionEffects | null {
  const nameByAddress = new Map(listSandboxShops().map(({ name, address }) => [address, name]));
  if (serviceWallet) nameByAddress.set(serviceWallet, "your savings wallet");
  let decodedTransaction: TransactionContents;
  try {
    decodedTransaction = readTransaction(transaction);
  } catch {
    return null;
  }
  const { instructions, highestFeeLamports: networkFeeLamports } = decodedTransaction;
  const effects: TransactionEffects = { payments: [], memos: [], networkFeeLamports, unknownPrograms: [] };
  for (const instruction of instructions) {
    const transfer = readSystemTransfer(instruction);
    const memo = readMemo(instruction, wallet);
    if (transfer?.to && transfer.from === wallet) {
      const { to, lamports } = transfer;
      effects.payments.push({ to, name: nameByAddress.get(to) ?? null, lamports });
    } else if (memo !== null) effects.memos.push(memo);
    else if (instruction.program !== COMPUTE_BUDGET_PROGRAM) effects.unknownPrograms.push(instruction.program);
  }
  effects.payments.sort((left, right) => Number(left.name === null) - Number(right.name === null));
  return effects;
}
