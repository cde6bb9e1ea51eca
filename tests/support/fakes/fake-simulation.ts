import type { AccountState } from "../../../lib/domain/chain-accounts";
import { encodeU64 } from "../../../lib/solana/instructions";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { readInstructions } from "../../../lib/solana/read-transaction";
import { readSystemTransfer } from "../../../lib/solana/system-instructions";
import { readTokenAmount, TOKEN_ACCOUNT_BYTES } from "../../../lib/solana/token-accounts";
import {
  deriveAssociatedTokenAddress,
  readCloseAccount,
  readOpenAccount,
  readTransferChecked,
} from "../../../lib/solana/token-instructions";
import { decodeTransaction } from "../../../lib/solana/transactions";
import { FLAT_FEE_LAMPORTS } from "../fixtures/flat-fee";
import { AMOUNT_OFFSET, encodeTokenAccount } from "../fixtures/token-account";

interface StagedAccounts {
  accounts: Map<string, AccountState>;
  computeRent: (bytes: number) => bigint;
}

/** Creates the account state of an SPL Token account. */
export function createTokenAccount(mint: string, owner: string, amount: bigint, lamports: bigint): AccountState {
  return { lamports, owner: TOKEN_PROGRAM, data: encodeTokenAccount(mint, owner, amount) };
}

/** Stages a wallet's associated token account that holds `amount` base units. */
export function stageTokenAccount(
  { accounts, computeRent }: StagedAccounts,
  mint: string,
  owner: string,
  amount: bigint,
) {
  const account = createTokenAccount(mint, owner, amount, computeRent(TOKEN_ACCOUNT_BYTES));
  accounts.set(deriveAssociatedTokenAddress(owner, mint), account);
}

/**
 * Computes the accounts after a transaction of plain transfers, without running it. The result covers the balances of
 * wallets, and of token accounts that exist or that the transaction opens. Accounts that the test did not stage have
 * unlimited funds.
 */
export function simulateTransfers(
  { accounts, computeRent }: StagedAccounts,
  transaction: Uint8Array,
  addresses: string[],
): (AccountState | null)[] {
  const { decoded, signers } = decodeTransaction(transaction);
  const keys = decoded.message.staticAccountKeys.map((key) => key.toBase58());
  const accountsAfter = new Map(accounts);
  const addLamports = (address: string | null, lamports: bigint) => {
    const account = accountsAfter.get(address!) ?? { lamports: 0n, owner: SYSTEM_PROGRAM, data: new Uint8Array() };
    accountsAfter.set(address!, { ...account, lamports: account.lamports + lamports });
  };
  const addTokens = (address: string | null, amount: bigint) => {
    const account = accountsAfter.get(address!);
    if (account?.owner !== TOKEN_PROGRAM) return;
    const data = account.data.slice(0, TOKEN_ACCOUNT_BYTES);
    data.set(encodeU64(readTokenAmount(data) + amount), AMOUNT_OFFSET);
    accountsAfter.set(address!, { ...account, data });
  };
  addLamports(keys[0]!, -FLAT_FEE_LAMPORTS * BigInt(signers.length));
  for (const instruction of readInstructions(decoded.message, keys)) {
    const solTransfer = readSystemTransfer(instruction);
    if (solTransfer) {
      addLamports(solTransfer.from, -solTransfer.lamports);
      addLamports(solTransfer.to, solTransfer.lamports);
    }
    const tokenTransfer = readTransferChecked(instruction);
    if (tokenTransfer) {
      addTokens(tokenTransfer.source, -tokenTransfer.amount);
      addTokens(tokenTransfer.destination, tokenTransfer.amount);
    }
    const closeInstruction = readCloseAccount(instruction);
    const closedAccount = closeInstruction && accountsAfter.get(closeInstruction.account!);
    if (closeInstruction && closedAccount) {
      // This simulation counts wrapped SOL as tokens, which the close returns as lamports.
      addLamports(closeInstruction.destination, closedAccount.lamports + readTokenAmount(closedAccount.data));
      accountsAfter.delete(closeInstruction.account!);
    }
    const newAccount = readOpenAccount(instruction);
    const existing = newAccount && accountsAfter.get(newAccount.account!);
    if (!newAccount || existing?.owner === TOKEN_PROGRAM) continue;
    const [rentLamports, heldLamports] = [computeRent(TOKEN_ACCOUNT_BYTES), existing?.lamports ?? 0n];
    if (heldLamports < rentLamports) addLamports(newAccount.payer, heldLamports - rentLamports);
    const lamports = heldLamports < rentLamports ? rentLamports : heldLamports;
    accountsAfter.set(newAccount.account!, createTokenAccount(newAccount.mint!, newAccount.owner!, 0n, lamports));
  }
  return addresses.map((address) => accountsAfter.get(address) ?? null);
}
