import { deriveUsdcAccount } from "../../domain/dollar-accounts";
import { buildBudgetInstructions, chooseBudget } from "../../solana/budget";
import { TOKEN_PROGRAM } from "../../solana/programs";
import { readDelegate, readTokenOwner } from "../../solana/token-accounts";
import { buildRevoke } from "../../solana/token-instructions";
import { RecoverError } from "../errors";
import { type Clock, systemClock } from "../platform";
import { createAccountReader, type RecoverChain, readPriority } from "./chain-reads";
import { explainStop, MAX_EXPIRED, NOT_TAKEN_TEXT } from "./empty-wallet";
import { sendTransaction, type TransactionSigner } from "./send";

export interface RevokeOptions {
  /** The user's own wallet, whose USDC account has the delegate. */
  owner: TransactionSigner;
  chain: RecoverChain;
  clock?: Clock;
}

export interface FoundAllowance {
  account: string;
  delegate: string | null;
  /** Base units of USDC. */
  amount: bigint;
}

/** Reads who may take USDC from a wallet's account, from any node. @throws RPC errors */
export async function inspectAllowance(options: RevokeOptions): Promise<FoundAllowance & { slot: number }> {
  const { owner, chain } = options;
  const account = deriveUsdcAccount(owner.address);
  const reader = createAccountReader(chain);
  const [state] = await reader.readAccounts([account]);
  const isOwn = state?.owner === TOKEN_PROGRAM && readTokenOwner(state.data) === owner.address;
  const allowance = (isOwn && readDelegate(state.data)) || { delegate: null, amount: 0n };
  return { account, ...allowance, slot: reader.newestSlot };
}

/**
 * Removes any delegate of the wallet's USDC account. @returns the signature of the revocation; null without a delegate
 * @throws {RecoverError} when the transaction did not land or may still land, and RPC errors
 */
export async function revokeAllowance(options: RevokeOptions): Promise<FoundAllowance & { signature: string | null }> {
  const { owner, chain, clock = systemClock } = options;
  const { slot, ...found } = await inspectAllowance(options);
  const { account, delegate } = found;
  if (delegate === null) return { ...found, signature: null };
  const revocation = buildRevoke({ account, owner: owner.address });
  const budget = chooseBudget([revocation], await readPriority(chain, [account]));
  const instructions = [...buildBudgetInstructions(budget), revocation];
  for (let expiredCount = 0; expiredCount < MAX_EXPIRED; expiredCount++) {
    const result = await sendTransaction(chain, clock, owner, instructions, slot);
    if (result.state === "landed") return { ...found, signature: result.signature };
    if (result.state !== "expired") throw new RecoverError(explainStop(result), []);
  }
  throw new RecoverError(NOT_TAKEN_TEXT, []);
}
