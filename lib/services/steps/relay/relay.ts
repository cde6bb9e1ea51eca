import { fits, isPast, mayBePast } from "../../../domain/expiry";
import type { Deps } from "../../../ports/deps";
import type { SignatureReading } from "../../../ports/signature-watch";
import type { SignedTransaction } from "../../../solana/transactions";
import { tolerate } from "../tolerate";
import { type Bound, boundNow } from "./build-records";
import { endClaims } from "./claim-records";
import { type Outcome, outcomeOf, recordLanded } from "./relay-records";

/*
 * Sends a signed transaction and follows it to its outcome.
 *
 * The problem: a sent transaction may land, expire or be dropped, and a node may report any of these late. If "expired"
 * were wrong, the client would rebuild, and both transactions could land.
 * The invariant: the outcome `expired` is given only if the transaction can no longer land.
 * How it is kept: two readings of a node's history, at least 2 s apart, must both lack the signature. Both must lie
 * past the last valid block height plus a margin (domain/expiry). If this service did not hand out the blockhash, a
 * node must also say that the blockhash is no longer valid. In every other case the outcome is `unknown`, and the
 * client keeps asking.
 * Example: the last valid height is 1,150. A node at height 1,160 lacks the signature, which proves nothing. Readings
 * at heights 1,190 and 1,196 lack it too. Both are more than 32 blocks past 1,150, so the outcome is `expired`.
 */

export interface RelayedTransaction {
  txSignature: string;
  transaction: SignedTransaction;
  /**
   * Null if no node could tell. It is read again while the transaction is followed, because nothing expires without it.
   */
  bound: Bound | null;
  /** True if no node knew its blockhash. Its state is then read once before it is sent. */
  doubtful: boolean;
  /** True if this call only follows the transaction and does not send it. */
  unsent?: boolean;
}

/** After this time the caller gets the outcome `unknown`. */
const FOLLOW_MS = 25_000;
/** Upper limit for following a transaction: by then every transaction has landed or expired. */
const GIVE_UP_MS = 5 * 60_000;
/**
 * Interval for resending the same bytes. Leaders drop transactions under load, and resending the same bytes is
 * idempotent.
 */
const RESEND_MS = 1_500;
const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 1_000;
/** Interval between readings that may prove the expiry. It keeps the two decisive readings at least 2 s apart. */
const EXPIRY_POLL_MS = 2_500;

/**
 * Sends the bytes repeatedly until they have landed or certainly expired. Returns `unknown` after FOLLOW_MS; the work
 * then continues in the background if the process allows it. Concurrent calls for one signature share one follower.
 */
export async function relay(deps: Deps, relayed: RelayedTransaction): Promise<Outcome> {
  const timeUp = deps.clock.sleep(FOLLOW_MS).then((): Outcome => ({ state: "unknown" }));
  const name = `${relayed.unsent ? "unsent:" : ""}${relayed.txSignature}`;
  const following = deps.background.run(name, (mayGoOn) => follow(deps, relayed, mayGoOn));
  return Promise.race([following, timeUp]);
}

interface SendState {
  stopped: boolean;
  /** True once the outcome is known: sends that are still queued must be dropped. */
  useless: boolean;
}

async function follow(deps: Deps, relayed: RelayedTransaction, mayGoOn: () => boolean): Promise<Outcome> {
  const sending: SendState = { stopped: false, useless: false };
  const polling = pollOutcome(deps, relayed, mayGoOn, sending);
  const outcome = await (relayed.unsent ? polling : Promise.race([polling, resend(deps, relayed, sending)])).finally(
    () => {
      sending.stopped = true;
    },
  );
  sending.useless = outcome.state !== "unknown";
  if (outcome.state === "expired") await tolerate(endClaims(deps, relayed.transaction, false));
  if (outcome.state !== "landed") return outcome;
  await recordLanded(deps, relayed.txSignature, relayed.transaction, outcome);
  return { ...outcome, recorded: true };
}

/**
 * Sends at a fixed interval until stopped. Ignores upstream failures, which say nothing about the outcome. Never
 * resolves.
 */
async function resend({ clock, rpc }: Deps, { transaction, bound, doubtful }: RelayedTransaction, sending: SendState) {
  // Gives the first reading of a doubtful transaction time to find that it has already landed.
  if (doubtful) await clock.sleep(RESEND_MS);
  while (!sending.stopped) {
    await tolerate(rpc.send(transaction.bytes, bound?.lastValidBlockHeight, () => !sending.useless));
    await clock.sleep(RESEND_MS);
  }
  return new Promise<never>(() => {});
}

async function pollOutcome(
  deps: Deps,
  { txSignature, transaction, doubtful, ...relayed }: RelayedTransaction,
  mayGoOn: () => boolean,
  sending: SendState,
): Promise<Outcome> {
  const { clock, rpc, watch } = deps;
  const { recentBlockhash } = transaction.decoded.message;
  const since = clock.now();
  let { bound } = relayed;
  let boundReadAt = since;
  let searchHistory = doubtful;
  let withinMs = FIRST_POLL_MS;
  let proof: SignatureReading | null = null;
  for (;;) {
    const reading = await watch.poll(txSignature, { searchHistory, withinMs });
    const outcome = outcomeOf(reading?.state ?? null);
    if (outcome.state !== "unknown") return outcome;
    if (reading?.state) proof = null;
    else if (reading) {
      if (!bound && clock.now() - boundReadAt >= EXPIRY_POLL_MS) {
        boundReadAt = clock.now();
        bound = await tolerate(boundNow(deps, recentBlockhash));
      }
      if (bound && provesExpiry(bound, reading)) {
        sending.stopped = true;
        // The bound may be wrong if this service did not hand out the blockhash. A node that still accepts it disproves
        // the bound.
        const gone = bound.vouched || (await tolerate(rpc.isBlockhashValid(recentBlockhash))) === false;
        if (gone && proof && fits(proof.head!, reading.head!)) return { state: "expired" };
        proof = gone ? reading : null;
      }
      searchHistory = bound !== null && mayBePast(bound, reading.slot);
    }
    const age = clock.now() - since;
    if (age >= GIVE_UP_MS || (age >= FOLLOW_MS && !(mayGoOn() && !doubtful))) return { state: "unknown" };
    withinMs = searchHistory ? EXPIRY_POLL_MS : Math.min(MAX_POLL_MS, withinMs * 2);
  }
}

/** Returns whether a reading that lacks the signature is past the bound. */
const provesExpiry = (bound: Bound, { slot, head }: SignatureReading) => head !== null && isPast(bound, slot, head);
