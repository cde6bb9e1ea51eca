import type { SignatureStatus } from "@solana/web3.js";
import bs58 from "bs58";
import { ask, type Chain, type SignedTransfers } from "./chain";

/** Clock and sleep in milliseconds. Tests inject their own, so that they need not wait. */
export interface Timer {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export const systemTimer: Timer = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export type Outcome =
  | { state: "confirmed"; signature: string }
  /** Included on chain but failed. Only the fee was charged. */
  | { state: "failed"; signature: string; error: string }
  /** The node's simulation refused the transaction. Nothing was sent. */
  | { state: "refused"; error: string }
  /** The blockhash expired and the chain does not have the transaction. It can never land. */
  | { state: "expired"; signature: string }
  /** The node stopped answering before the outcome was certain. */
  | { state: "unknown"; signature: string };

const FIRST_POLL_MS = 200;
const SLOWEST_POLL_MS = 1_000;
const RESEND_MS = 2_000;
/** Timeout well above the life of a blockhash: 150 blocks, at most 60 s. */
const GIVE_UP_MS = 150_000;

/**
 * Simulates and sends a transaction. Resends the same bytes until the cluster confirms them or their blockhash expires.
 * Takes at most 150 s.
 * @throws {OperatorFailure} when the node did not answer the simulation; nothing was sent
 */
export async function sendAndConfirm(chain: Chain, signed: SignedTransfers, timer: Timer): Promise<Outcome> {
  const { transaction, lastValidBlockHeight } = signed;
  const simulation = await ask(chain, "a simulation", () =>
    chain.simulateTransaction(transaction, { sigVerify: true }),
  );
  if (simulation.value.err !== null) return { state: "refused", error: JSON.stringify(simulation.value.err) };

  const bytes = transaction.serialize();
  const signature = bs58.encode(transaction.signatures[0]!);
  const started = timer.now();
  let sentAt = Number.NEGATIVE_INFINITY;
  for (let pause = FIRST_POLL_MS; timer.now() - started < GIVE_UP_MS; pause = Math.min(pause * 1.5, SLOWEST_POLL_MS)) {
    if (timer.now() - sentAt >= RESEND_MS) {
      sentAt = timer.now();
      // Ignore a lost answer: the polls below find out whether the bytes arrived.
      await orNull(chain.sendRawTransaction(bytes, { skipPreflight: true, maxRetries: 0 }));
    }
    await timer.sleep(pause);
    const [status, height] = await Promise.all([
      orNull(statusOf(chain, signature, false)),
      orNull(chain.getBlockHeight("confirmed")),
    ]);
    const outcome = judge(signature, status?.found ?? null);
    if (outcome) return outcome;
    if (height === null || height <= lastValidBlockHeight) continue;
    // The transaction may have landed between the two reads above, or the node's recent cache may lack it.
    const last = await orNull(statusOf(chain, signature, true));
    if (last) {
      const late = judge(signature, last.found);
      if (late) return late;
      if (last.found === null) return { state: "expired", signature };
    }
  }
  return { state: "unknown", signature };
}

async function statusOf(chain: Chain, signature: string, searchTransactionHistory: boolean) {
  const answer = await chain.getSignatureStatuses([signature], { searchTransactionHistory });
  return { found: answer.value[0] ?? null };
}

/** Maps a status to an outcome. Null while it is uncertain: unknown to the node, or only processed. */
function judge(signature: string, status: SignatureStatus | null): Outcome | null {
  if (status?.confirmationStatus !== "confirmed" && status?.confirmationStatus !== "finalized") return null;
  if (status.err !== null) return { state: "failed", signature, error: JSON.stringify(status.err) };
  return { state: "confirmed", signature };
}

async function orNull<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch {
    return null;
  }
}
