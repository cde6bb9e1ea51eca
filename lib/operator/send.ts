import type { SignatureStatus } from "@solana/web3.js";
import bs58 from "bs58";
import { ask, type Chain, type SignedTransfers } from "./chain";

/** Milliseconds; injected so that tests need not wait. */
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
  /** On the chain, where it failed: only the fee is gone. */
  | { state: "failed"; signature: string; error: string }
  /** The node's simulation refused it: nothing was sent. */
  | { state: "refused"; error: string }
  /** Its blockhash is over and the chain does not have it: it can never land. */
  | { state: "expired"; signature: string }
  /** The node stopped answering before either was certain. */
  | { state: "unknown"; signature: string };

const FIRST_POLL_MS = 200;
const SLOWEST_POLL_MS = 1_000;
const RESEND_MS = 2_000;
/** Well over the life of a blockhash: 150 blocks, 60 s at the slowest. */
const GIVE_UP_MS = 150_000;

/**
 * Simulates, sends, and sends the same bytes again until the cluster has confirmed them or their own blockhash is over.
 * At most 150 s.
 * @throws {OperatorFailure} when the simulation could not be asked for; nothing was sent then
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
      // A lost answer is no news: whether the bytes arrived is for the polls below to find out.
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
    // It may have landed between the two reads above, or on a node whose recent cache does not have it.
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

/** @returns null while it is not certain: unknown to the node, or only processed */
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
