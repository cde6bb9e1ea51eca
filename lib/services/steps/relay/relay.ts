import { fits, isPast, mayBePast } from "../../../domain/expiry";
import type { Deps } from "../../../ports/deps";
import type { SignatureReading } from "../../../ports/signature-watch";
import type { SignedTransaction } from "../../../solana/transactions";
import { tolerate } from "../tolerate";
import { type Bound, boundNow } from "./build-records";
import { endClaims } from "./claim-records";
import { type Outcome, outcomeOf, recordLanded } from "./relay-records";

export interface RelayedTransaction {
  txSignature: string;
  transaction: SignedTransaction;
  /** Null when nobody could tell: asked again while it is followed, since without one it never counts as expired. */
  bound: Bound | null;
  /** Nodes did not know its blockhash: it is looked at once before it is sent. */
  doubtful: boolean;
  /** It is only followed: somebody else may have sent it. */
  unsent?: boolean;
}

/** After this long the caller is told that the outcome is not known yet. */
const FOLLOW_MS = 25_000;
/** No transaction is followed longer, whatever the nodes say: any would have landed or expired. */
const GIVE_UP_MS = 5 * 60_000;
/** The same bytes go out again this often: leaders drop what they cannot take, and resending is always safe. */
const RESEND_MS = 1_500;
const FIRST_LOOK_MS = 50;
const MAX_LOOK_MS = 1_000;
/** Between looks that may prove the expiry; the two that do are at least 2 s apart. */
const LATE_LOOK_MS = 2_500;

/**
 * Sends the bytes, again and again, until they landed or certainly expired. The caller hears of it within FOLLOW_MS, or
 * that it is unknown; where the process lives on, it goes on without him. The same signature is followed once, however
 * often it is posted.
 */
export async function relay(deps: Deps, relayed: RelayedTransaction): Promise<Outcome> {
  const timeUp = deps.clock.sleep(FOLLOW_MS).then((): Outcome => ({ state: "unknown" }));
  const name = `${relayed.unsent ? "unsent:" : ""}${relayed.txSignature}`;
  const following = deps.background.run(name, (mayGoOn) => follow(deps, relayed, mayGoOn));
  return Promise.race([following, timeUp]);
}

interface SendState {
  stopped: boolean;
  /** Not even what waits for its turn should go out any more. */
  useless: boolean;
}

async function follow(deps: Deps, relayed: RelayedTransaction, mayGoOn: () => boolean): Promise<Outcome> {
  const sending: SendState = { stopped: false, useless: false };
  const looking = pollOutcome(deps, relayed, mayGoOn, sending);
  const outcome = await (relayed.unsent ? looking : Promise.race([looking, resend(deps, relayed, sending)])).finally(
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

/** Once sent, an upstream that fails is no answer about the transaction. Never resolves before it is stopped. */
async function resend({ clock, rpc }: Deps, { transaction, bound, doubtful }: RelayedTransaction, sending: SendState) {
  // The first look of a doubtful one takes this long, and may say that sending is useless.
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
  let since = clock.now();
  let { bound } = relayed;
  let boundAskedAt = since;
  let searchHistory = doubtful;
  let withinMs = FIRST_LOOK_MS;
  let proof: SignatureReading | null = null;
  for (;;) {
    const look = await watch.poll(txSignature, { searchHistory, withinMs });
    // If the system clock was set back, count from its new time. Otherwise following lasts as long as the clock moved.
    since = Math.min(since, clock.now());
    boundAskedAt = Math.min(boundAskedAt, clock.now());
    const outcome = outcomeOf(look?.state ?? null);
    if (outcome.state !== "unknown") return outcome;
    if (look?.state) proof = null;
    else if (look) {
      if (!bound && clock.now() - boundAskedAt >= LATE_LOOK_MS) {
        boundAskedAt = clock.now();
        bound = await tolerate(boundNow(deps, recentBlockhash));
      }
      if (bound && provesExpiry(bound, look)) {
        sending.stopped = true;
        // A height that was wrongly said, or a blockhash younger than it seemed: its own node still takes it.
        const gone = bound.vouched || (await tolerate(rpc.isBlockhashValid(recentBlockhash))) === false;
        if (gone && proof && fits(proof.head!, look.head!)) return { state: "expired" };
        proof = gone ? look : null;
      }
      searchHistory = bound !== null && mayBePast(bound, look.slot);
    }
    const age = clock.now() - since;
    if (age >= GIVE_UP_MS || (age >= FOLLOW_MS && !(mayGoOn() && !doubtful))) return { state: "unknown" };
    withinMs = searchHistory ? LATE_LOOK_MS : Math.min(MAX_LOOK_MS, withinMs * 2);
  }
}

/** @param look at a signature that is unknown there */
const provesExpiry = (bound: Bound, { slot, head }: SignatureReading) => head !== null && isPast(bound, slot, head);
