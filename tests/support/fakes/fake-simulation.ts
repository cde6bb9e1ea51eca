import type { AccountState } from "../../../lib/domain/holdings";
import { computeNetworkFee } from "../../../lib/solana/fees";
import { encodeU64 } from "../../../lib/solana/instructions";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { readInstructions } from "../../../lib/solana/read-transaction";
import { readSystemTransfer } from "../../../lib/solana/system-instructions";
import { readTokenAmount, TOKEN_ACCOUNT_BYTES } from "../../../lib/solana/token-accounts";
import { readCloseAccount, readOpenAccount, readTransferChecked } from "../../../lib/solana/token-instructions";
import { decodeTransaction } from "../../../lib/solana/transactions";
import { AMOUNT_OFFSET, tokenAccountData } from "../fixtures/token-account";

interface Chain {
  accounts: Map<string, AccountState>;
  rent: (bytes: number) => bigint;
}

/** Returns the account state of an SPL Token account. */
export function createTokenAccount(mint: string, owner: string, amount: bigint, lamports: bigint): AccountState {
  return { lamports, owner: TOKEN_PROGRAM, data: tokenAccountData(mint, owner, amount), executable: false };
}

/**
 * Computes the accounts after a transaction of plain transfers, without running it. It covers balances of wallets, and
 * of token accounts that exist or are opening. Accounts that the test did not stage have unlimited funds.
 */
export function simulateTransfers(
  { accounts, rent }: Chain,
  transaction: Uint8Array,
  addresses: string[],
): (AccountState | null)[] {
  const { decoded, signers } = decodeTransaction(transaction);
  const keys = decoded.message.staticAccountKeys.map((key) => key.toBase58());
  const after = new Map(accounts);
  const addLamports = (address: string | null, lamports: bigint) => {
    const account = after.get(address!) ?? {
      lamports: 0n,
      owner: SYSTEM_PROGRAM,
      data: new Uint8Array(),
      executable: false,
    };
    after.set(address!, { ...account, lamports: account.lamports + lamports });
  };
  const addTokens = (address: string | null, amount: bigint) => {
    const account = after.get(address!);
    if (account?.owner !== TOKEN_PROGRAM) return;
    const data = account.data.slice(0, TOKEN_ACCOUNT_BYTES);
    data.set(encodeU64(readTokenAmount(data) + amount), AMOUNT_OFFSET);
    after.set(address!, { ...account, data });
  };
  addLamports(keys[0]!, -computeNetworkFee(signers.length, 0, 0n));
  for (const instruction of readInstructions(decoded.message, keys)) {
    const [sol, opening, tokens] = [
      readSystemTransfer(instruction),
      readOpenAccount(instruction),
      readTransferChecked(instruction),
    ];
    if (sol) {
      addLamports(sol.from, -sol.lamports);
      addLamports(sol.to, sol.lamports);
    }
    if (tokens) {
      addTokens(tokens.source, -tokens.amount);
      addTokens(tokens.destination, tokens.amount);
    }
    const closing = readCloseAccount(instruction);
    const closedAccount = closing && after.get(closing.account!);
    if (closing && closedAccount) {
      // Closing wrapped SOL returns lamports. This simulation counts them as tokens.
      addLamports(closing.destination, closedAccount.lamports + readTokenAmount(closedAccount.data));
      after.delete(closing.account!);
    }
    const existing = opening && after.get(opening.account!);
    if (!opening || existing?.owner === TOKEN_PROGRAM) continue;
    const deposit = rent(TOKEN_ACCOUNT_BYTES) - (existing?.lamports ?? 0n);
    if (deposit > 0n) addLamports(opening.payer, -deposit);
    after.set(
      opening.account!,
      createTokenAccount(opening.mint!, opening.owner!, 0n, (existing?.lamports ?? 0n) + (deposit > 0n ? deposit : 0n)),
    );
  }
  return addresses.map((address) => after.get(address) ?? null);
}
