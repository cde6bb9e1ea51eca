import { ASSETS } from "@/lib/domain/assets";
import { deriveUsdcAccount } from "@/lib/domain/dollar-accounts";
import { listSandboxShops } from "@/lib/domain/spending/shops";
import { computeMaxDeposit } from "@/lib/domain/transaction-check";
import type { DecodedInstruction } from "@/lib/solana/instructions";
import { readMemo } from "@/lib/solana/memo";
import { COMPUTE_BUDGET_PROGRAM } from "@/lib/solana/programs";
import { readTransaction, type TransactionContents } from "@/lib/solana/read-transaction";
import { readSystemTransfer } from "@/lib/solana/system-instructions";
import { readApproveChecked, readOpenAccount, readRevoke, readTransferChecked } from "@/lib/solana/token-instructions";

export const SAVINGS_WALLET_NAME = "your savings wallet";

interface Payment {
  /** A wallet for SOL, a token account for USDC. */
  to: string;
  name: string | null;
  lamports: bigint;
  /** Base units of USDC. */
  usdcUnits: bigint;
}

/** As the instructions state them. */
export interface TransactionEffects {
  /** From the wallet, those with a name first: the sandbox's shops and the savings wallet. */
  payments: Payment[];
  /** The most that opened token accounts cost, lamports. Their owners get it back. */
  depositLamports: bigint;
  /** Delegates that may take USDC of the wallet. 0 units end all of them. */
  allowances: { delegate: string; name: string | null; usdcUnits: bigint }[];
  /** Signed by the wallet. */
  memos: string[];
  /** At most. */
  networkFeeLamports: bigint;
  /** Their effects are unknown. */
  unknownPrograms: string[];
}

/** Describes a transaction of the signer `wallet` from its bytes (base64). Null if they cannot be decoded. */
export function readTransactionEffects(
  transaction: string,
  wallet: string,
  serviceWallet: string | null,
): TransactionEffects | null {
  const wallets = listSandboxShops().map(({ name, address }) => [address, name] as const);
  if (serviceWallet) wallets.push([serviceWallet, SAVINGS_WALLET_NAME]);
  const nameByAddress = new Map(
    wallets.flatMap(([address, name]) => [[address, name] as const, [deriveUsdcAccount(address), name] as const]),
  );
  let decodedTransaction: TransactionContents;
  try {
    decodedTransaction = readTransaction(transaction);
  } catch {
    return null;
  }
  const { instructions, highestFeeLamports: networkFeeLamports } = decodedTransaction;
  const effects: TransactionEffects = {
    ...{ payments: [], allowances: [], memos: [], networkFeeLamports, unknownPrograms: [] },
    depositLamports: computeMaxDeposit(instructions),
  };
  for (const instruction of instructions) {
    const memo = readMemo(instruction, wallet);
    const payment = readPayment(instruction, wallet);
    const approval = readApproval(instruction, wallet);
    if (payment) effects.payments.push({ ...payment, name: nameByAddress.get(payment.to) ?? null });
    else if (isOwnRevoke(instruction, wallet)) effects.allowances.push({ delegate: "", name: null, usdcUnits: 0n });
    else if (approval) effects.allowances.push({ ...approval, name: nameByAddress.get(approval.delegate) ?? null });
    else if (readOpenAccount(instruction)?.payer === wallet) continue;
    else if (memo !== null) effects.memos.push(memo);
    else if (instruction.program !== COMPUTE_BUDGET_PROGRAM) effects.unknownPrograms.push(instruction.program);
  }
  effects.payments.sort((left, right) => Number(left.name === null) - Number(right.name === null));
  return effects;
}

/** Keys after the authority of a token transfer have no effect. */
function readPayment(instruction: DecodedInstruction, wallet: string): Omit<Payment, "name"> | null {
  const { to, from, lamports = 0n } = readSystemTransfer(instruction) ?? {};
  if (to && from === wallet) return { to, lamports, usdcUnits: 0n };
  const transfer = readTransferChecked({ ...instruction, accounts: instruction.accounts.slice(0, 4) });
  const isUsdc = transfer?.mint === ASSETS.USDC.mint && transfer.authority === wallet;
  return isUsdc && transfer.destination ? { to: transfer.destination, lamports: 0n, usdcUnits: transfer.amount } : null;
}

function readApproval(instruction: DecodedInstruction, wallet: string) {
  const { mint, owner, delegate, amount = 0n } = readApproveChecked(instruction) ?? {};
  return mint === ASSETS.USDC.mint && owner === wallet && delegate ? { delegate, usdcUnits: amount } : null;
}

const isOwnRevoke = (instruction: DecodedInstruction, wallet: string): boolean => {
  const revoked = readRevoke(instruction);
  return revoked?.owner === wallet && revoked.account === deriveUsdcAccount(wallet);
};
