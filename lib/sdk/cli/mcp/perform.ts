import type { Clock, Lock } from "../../world";
import type { Action, Intent, Person } from "./actions";
import { type Caps, holdCaps, holdKeep, movedInADay, readKnown, worthOfAction } from "./caps";
import { type Figures, isAsShown } from "./figures";
import type { Ledger } from "./ledger";
import { Refusal } from "./refusal";

/** On whose behalf, and within which bounds. */
export interface Agent extends Person {
  caps: Caps;
  lock: Lock;
  clock: Clock;
  ledger(): Promise<Ledger>;
  /** Signatures of what is remembered of an action whose outcome is not known. */
  sentOf(action: Action): Promise<string[]>;
  newId(): string;
}

export interface ActionResult {
  /** `in_part`: the rest was not sent; `unknown`: it may have landed, and counts as if it had. */
  status: "done" | "in_part" | "unknown";
  transactions: { label: string; txSignature: string }[];
  note: string | null;
}

const SETTLED = "Something begun earlier was looked after first. Ask for a new preview.";
const CHANGED = "It would not be what the preview showed any more. Ask for a new preview.";
const AGAIN = "Something was not taken in time, or changed on the way. What is left needs a new preview.";
const BUSY = "Another action of this wallet is under way. Try again when it is done, with a new preview.";
const OPEN =
  "Nobody can say yet what became of something sent before, so nothing new is begun. Look at the activity in a minute.";
const MAY_LAND =
  "It was sent, and nobody can say yet whether it landed. Look at the activity in a minute; do not repeat it.";
/** What is under way from before is settled first, which shows as builds and ends of its own. */
const LOOKS = 3;

/** Builds it and signs nothing. @throws {Refusal | ApiError | Error} */
export async function previewAction(intent: Intent): Promise<Figures> {
  for (let i = 0; i < LOOKS; i++) {
    let seen: Figures | null = null;
    const result = await intent.run((figures, note) => {
      if (note === null) seen = figures;
      return false;
    });
    if (seen) return seen;
    if (result.status === "refused") throw new Refusal(result.reason);
    if (result.status === "failed" || result.status === "elsewhere") throw result.error;
    if (isOpen(result)) throw new Refusal(OPEN);
  }
  throw new Refusal(OPEN);
}

/** Holds the figures against every cap, with all that was moved in a day. @returns micro-dollars it moves @throws {Refusal | ApiError} */
export async function holdAll(agent: Agent, { fromWallet }: Action, figures: Figures, ledger: Ledger): Promise<bigint> {
  const { roundup, caps } = agent;
  const known = await readKnown(roundup);
  const microUsd = worthOfAction(figures, known);
  if (fromWallet) holdKeep(caps, figures.leaves, known);
  holdCaps(caps, microUsd, await movedInADay(roundup, ledger, known));
  return microUsd;
}

/** Does what a preview showed, or nothing; one action of a wallet at a time. @throws {Refusal | ApiError | Error} when nothing was sent */
export async function perform(agent: Agent, action: Action, intent: Intent, shown: Figures): Promise<ActionResult> {
  let done: ActionResult | null = null;
  const { lock, roundup } = agent;
  const ran = await lock(`roundup-agent:${await roundup.serviceWallet()}`, async () => {
    done = await withLock(agent, action, intent, shown);
  });
  if (!ran) throw new Refusal(BUSY);
  return done!;
}

async function withLock(agent: Agent, action: Action, intent: Intent, shown: Figures): Promise<ActionResult> {
  const ledger = await agent.ledger();
  const id = agent.newId();
  let approved = false;
  let refusal: Error | null = null;
  // Of what landed before, whoever sent it has written it down.
  let before = 0;
  const result = await intent.run(async (figures, note, landed) => {
    try {
      // A token is good for what was shown: what is left to do after something went wrong was shown to nobody.
      if (approved) throw new Refusal(AGAIN);
      if (note !== null) throw new Refusal(SETTLED);
      if (!isAsShown(shown, figures)) throw new Refusal(CHANGED);
      await ledger.add(id, await holdAll(agent, action, figures, ledger));
      approved = true;
      before = landed.length;
      return true;
    } catch (error) {
      refusal = error as Error;
      return false;
    }
  });
  if (!approved) throw refusal ?? reasonOf(result);
  if (result.status === "earlier") {
    await ledger.settle(id, []);
    throw reasonOf(result);
  }
  if (result.status === "unknown") {
    const sent = (await agent.sentOf(action)).slice(before);
    if (sent.length > 0) await ledger.settle(id, sent);
    return { status: "unknown", transactions: [], note: MAY_LAND };
  }
  const transactions = "transactions" in result ? result.transactions.slice(before).map(short) : [];
  await ledger.settle(
    id,
    transactions.map(({ txSignature }) => txSignature),
  );
  if (result.status === "done") return { status: "done", transactions, note: null };
  const why = refusal ?? reasonOf(result);
  if (transactions.length === 0) throw why;
  return { status: "in_part", transactions, note: why.message };
}

const short = ({ label, txSignature }: { label: string; txSignature: string }) => ({ label, txSignature });

type Outcome = Awaited<ReturnType<Intent["run"]>>;

/** Something sent before may land. */
const isOpen = (result: Outcome) =>
  result.status === "unknown" || (result.status === "earlier" && result.outcome === "unknown");

/** Why nothing of it was sent. */
function reasonOf(result: Outcome): Error {
  if (result.status === "failed" || result.status === "elsewhere") return result.error;
  if (isOpen(result)) return new Refusal(OPEN);
  return new Refusal(result.status === "refused" ? result.reason : SETTLED);
}
