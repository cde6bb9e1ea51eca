import { createObservable } from "../observable";
import { buildRest, findDoubts } from "./build";
import type { AnyAbout, AnyRequest } from "./record";
import { adoptRecord, awaitOutcome, readProgress, signAndSend } from "./send";
import { type FlowState, IDLE, isFollowed } from "./state";
import type { BuildResult, FlowSpec, SignTransaction, World } from "./types";
import { createWork, runWork, SupersededError, type Work } from "./work";

/*
 * Runs one payment of one wallet: build, review, sign, post, and continue after an interruption.
 *
 * The problem. A payment takes several steps, and between any two of them the page can be reloaded, a second tab can
 * act on the same wallet, an answer can be lost, or the person can cancel. A client that starts over then pays twice.
 * A client that trusts an old build signs something that the person has not seen.
 *
 * The invariant. Nothing is signed that was not verified and shown. Nothing is posted that was not stored before.
 * Nothing is built while the outcome of posted bytes is unknown.
 *
 * How it is kept.
 * - state.ts lists the states and has the one function that changes them. The types rule out a signature without a
 *   verified build, and bytes in flight without a stored record.
 * - record.ts stores signed bytes before they are posted, and their outcome afterwards.
 * - build.ts requests a build and verifies it. send.ts signs it, posts it and follows it, under the wallet's lock.
 * - Each action of a person starts a `Work` (work.ts). The next action aborts its signal, and from then on the old work
 *   cannot change the state. Only what follows posted bytes continues, to store their outcome (see `sendStep`).
 *
 * This folder also holds one spec for each kind of payment (save.ts, topup.ts, invest.ts, sell.ts, withdraw.ts, cash-
 * out.ts) and `drive`, which runs a flow without a page. Checks of transaction bytes belong to ../verify.
 *
 * Example. A payment has two transactions, A and B. The person confirms, A is signed and stored, and the page is
 * reloaded while A is being posted. The next start reads the record, finds A in flight and posts the same bytes again,
 * which is safe. The service answers that A landed. The flow stores that, builds B alone and shows it for review. If a
 * second tab sends B first, it removes the record, and this tab then builds nothing more.
 */

const ANOTHER_SENDS = "Another tab or program is sending from this wallet. Try again when it finishes.";
const MAY_LAND = "It may still arrive. If you paid again now, you could pay twice. Check again in a minute.";

/** One wallet's payments of one kind. A page or `drive` acts for the person. */
export interface Flow<R, B, D> {
  getState(): FlowState<R, B, D>;
  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void;
  /** Starts a payment. If storage holds bytes in flight, the flow learns their outcome first. */
  start(request: R): Promise<void>;
  /** Continues the stored payment. */
  resume(): Promise<void>;
  /** Builds what is left again. @param byItself true when a timer, and not a person, asks */
  renew(note: string | null, byItself?: boolean): Promise<void>;
  /** Signs and sends the reviewed build. It does nothing without a review. */
  confirm(): Promise<void>;
  /** Records that a person has accepted the doubted prices. */
  acceptPrices(): Promise<void>;
  /** Asks again for the outcome of the bytes in flight. */
  checkAgain(): Promise<void>;
  /** Ends this flow's work, whatever its state: it asks for no more signatures. Signed bytes stay stored. */
  stop(): void;
  /**
   * Closes the review. The stored record stays. It does nothing while bytes are being sent. Bytes that an earlier start
   * sent can be left: their outcome is still stored.
   */
  close(): void;
  /** Removes the stored record. While its bytes may still land, it asks for their outcome first and may keep it. */
  discard(): Promise<void>;
}

/** Creates a flow. @param world called before each use: credentials and signers change while a flow runs */
export function createFlow<R, B extends BuildResult, D>(spec: FlowSpec<R, B, D>, world: () => World<D>): Flow<R, B, D>;
export function createFlow(spec: FlowSpec, world: () => World): Flow<AnyRequest, BuildResult, AnyAbout> {
  const states = createObservable<FlowState>(IDLE);
  let controller = new AbortController();
  let current = createWork(spec, world, states, controller.signal);
  const supersede = () => {
    controller.abort(new SupersededError());
    controller = new AbortController();
    current = createWork(spec, world, states, controller.signal);
    return current;
  };
  const run = (task: (work: Work) => Promise<void>) => runWork(supersede(), task);
  return {
    getState: states.get,
    subscribe: states.subscribe,
    start: (request) => run((work) => start(work, request)),
    resume: () => run(resume),
    async renew(note, byItself = false) {
      const { phase, renewals } = states.get();
      // The call may come late: the review was closed, or it is being signed.
      if (phase === "idle" || phase === "running" || (byItself && phase !== "review")) return;
      if (phase === "unknown") return run(checkOutcome);
      return run((work) => buildUnlessInFlight(work, note, byItself ? renewals + 1 : 0));
    },
    async confirm() {
      const state = states.get();
      if (state.phase === "review" && !state.build.blocked) await run(confirm);
    },
    acceptPrices: () => acceptPrices(current),
    checkAgain: () => run(states.get().phase === "unknown" ? checkOutcome : resume),
    stop: () => void supersede(),
    close() {
      const state = states.get();
      if (state.phase !== "running" || isFollowed(state)) supersede().dispatch({ type: "closed" });
    },
    discard: () => run(discard),
  };
}

function start(work: Work, request: AnyRequest): Promise<void> {
  work.dispatch({ type: "started", request });
  return buildUnlessInFlight(work, null, 0);
}

/**
 * Learns the outcome of bytes in flight before it builds: otherwise they could be paid twice. While another tab holds
 * the lock, this one may build, but `signAndSend` does not sign what was built before that tab sent something.
 */
async function buildUnlessInFlight(work: Work, note: string | null, renewals: number): Promise<void> {
  let isBuildWanted = true;
  await work.withLock(async () => {
    const stored = await work.guard(work.memory.readRecord());
    isBuildWanted = !stored?.inFlight && readProgress(work, stored);
    if (stored?.inFlight) await adoptRecord(work, stored);
  });
  if (isBuildWanted) await buildRest(work, { note, renewals });
}

async function resume(work: Work): Promise<void> {
  const record = await work.guard(work.memory.readRecord());
  work.dispatch({ type: "resumed", record });
  if (record?.inFlight) await checkOutcome(work);
  else if (record) await buildRest(work, { note: null });
}

/** Reads the stored record under the lock: another tab may have advanced it, or finished. */
async function checkOutcome(work: Work): Promise<void> {
  work.dispatch({ type: "checkStarted" });
  const ran = await work.withLock(async () => {
    const record = await work.guard(work.memory.readRecord());
    if (record) await adoptRecord(work, record);
    else work.dispatch({ type: "closed" });
  });
  if (!ran) work.dispatch({ type: "lockHeld", note: ANOTHER_SENDS });
}

async function confirm(work: Work): Promise<void> {
  work.dispatch({ type: "confirmed" });
  let sign: SignTransaction;
  try {
    sign = await work.guard(work.world().openSigner());
  } catch (error) {
    return work.dispatch({ type: "signatureMissing", error });
  }
  const ran = await work.withLock(() => signAndSend(work, sign));
  if (!ran) work.dispatch({ type: "lockHeld", note: ANOTHER_SENDS });
}

async function acceptPrices(work: Work): Promise<void> {
  const { state } = work;
  if (state.phase !== "review") return;
  await work.world().prices.accept(state.doubts);
  work.dispatch({ type: "doubtsFound", doubts: await findDoubts(work, state.build) });
}

/**
 * Removes the stored record. Bytes in flight may still land, and the person could then pay again: the flow asks for
 * their outcome first and keeps the record while it is unknown. A record that another tab is sending stays with that
 * tab.
 */
async function discard(work: Work): Promise<void> {
  let mayLand = false;
  // Not guarded: the person has decided to leave the payment, whatever they start next.
  await work.withLock(async () => {
    const record = await work.memory.readRecord();
    if (record?.inFlight) {
      work.dispatch({ type: "discardStarted", record });
      const { outcome } = await awaitOutcome(work, record, { again: true, note: MAY_LAND });
      mayLand = "unknown" in outcome;
    }
    if (!mayLand) await work.memory.removeRecord();
  });
  if (!mayLand) work.dispatch({ type: "closed" });
}
