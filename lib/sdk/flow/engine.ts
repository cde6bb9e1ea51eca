import { createObservable } from "../observable";
import { buildRemainder, findDoubts } from "./build";
import type { AnyAbout, AnyRequest } from "./record";
import { adoptProgress, adoptRecord, awaitOutcome, signAndSend } from "./send";
import { type FlowState, IDLE_STATE, isCheckingEarlierStart } from "./state";
import type { BuildResult, FlowContext, FlowSpec, SignTransaction } from "./types";
import { createWork, runWork, SupersededError, type Work } from "./work";

/*
 * Runs one action of one wallet, while pages reload, tabs compete, answers get lost and the person cancels. Nothing is
 * signed that was not verified and shown. Nothing is posted that was not stored before. Nothing is built while the outcome
 * of posted bytes is unknown. Each action of a person starts a `Work`, which supersedes the previous one; only the work
 * that follows posted bytes continues, to store their outcome (see `sendStep`).
 */

const LOCK_HELD_NOTE = "Another tab or program is sending from this wallet. Try again when it finishes.";
const MAY_LAND_NOTE = "It may still arrive. If you paid again now, you could pay twice. Check again in a minute.";

export interface Flow<Request, Build, About> {
  getState(): FlowState<Request, Build, About>;
  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void;
  /** Starts an action. If storage holds bytes in flight, the flow learns their outcome first. */
  start(request: Request): Promise<void>;
  resume(): Promise<void>;
  /** Builds what is left again. @param isAutomatic true when a timer, and not a person, asks */
  renew(note: string | null, isAutomatic?: boolean): Promise<void>;
  /** Signs and sends the reviewed build. It does nothing without a review. */
  confirm(): Promise<void>;
  acceptPrices(): Promise<void>;
  checkAgain(): Promise<void>;
  /** Ends this flow's work, whatever its state: it asks for no more signatures. Signed bytes stay stored. */
  stop(): void;
  /**
   * Closes the review and keeps the stored record. It does nothing while this start is sending bytes. A check of bytes
   * that an earlier start sent is closed too, but it still stores their outcome.
   */
  close(): void;
  /** Removes the stored record. While its bytes may still land, it asks for their outcome first and may keep it. */
  discard(): Promise<void>;
}

/** Creates a flow. @param getContext called before each use: credentials and signers change while a flow runs */
export function createFlow<Request, Build extends BuildResult, About>(
  spec: FlowSpec<Request, Build, About>,
  getContext: () => FlowContext<About>,
): Flow<Request, Build, About>;
export function createFlow(spec: FlowSpec, getContext: () => FlowContext): Flow<AnyRequest, BuildResult, AnyAbout> {
  const observableState = createObservable<FlowState>(IDLE_STATE);
  let controller = new AbortController();
  let currentWork = createWork(spec, getContext, observableState, controller.signal);
  const supersedeWork = () => {
    controller.abort(new SupersededError());
    controller = new AbortController();
    currentWork = createWork(spec, getContext, observableState, controller.signal);
    return currentWork;
  };
  const runTask = (task: (work: Work) => Promise<void>) => runWork(supersedeWork(), task);
  return {
    getState: observableState.get,
    subscribe: observableState.subscribe,
    start: (request) =>
      runTask((work) => {
        work.dispatch({ type: "started", request });
        return buildUnlessInFlight(work, null, 0);
      }),
    resume: () => runTask(resumeRecord),
    async renew(note, isAutomatic = false) {
      const { phase, renewalCount } = observableState.get();
      // The call may come late: the review was closed, or it is being signed.
      if (phase === "idle" || phase === "running" || (isAutomatic && phase !== "review")) return;
      if (phase === "unknown") return runTask(checkOutcome);
      return runTask((work) => buildUnlessInFlight(work, note, isAutomatic ? renewalCount + 1 : 0));
    },
    async confirm() {
      const state = observableState.get();
      if (state.phase === "review" && !state.build.blocked) await runTask(confirmBuild);
    },
    acceptPrices: () => acceptPrices(currentWork),
    checkAgain: () => runTask(observableState.get().phase === "unknown" ? checkOutcome : resumeRecord),
    stop: () => void supersedeWork(),
    close() {
      const state = observableState.get();
      if (state.phase !== "running" || isCheckingEarlierStart(state)) supersedeWork().dispatch({ type: "closed" });
    },
    discard: () => runTask(discardRecord),
  };
}

/**
 * Learns the outcome of bytes in flight before it builds: otherwise they could be paid twice. While another tab holds
 * the lock, this tab may build. `signAndSend` does not sign that build once the other tab has sent a transaction.
 */
async function buildUnlessInFlight(work: Work, note: string | null, renewalCount: number): Promise<void> {
  let shouldBuild = true;
  await work.withLock(async () => {
    const storedRecord = await work.waitFor(work.recordStore.readRecord());
    shouldBuild = !storedRecord?.inFlight && adoptProgress(work, storedRecord);
    if (storedRecord?.inFlight) await adoptRecord(work, storedRecord);
  });
  if (shouldBuild) await buildRemainder(work, { note, renewalCount });
}

async function resumeRecord(work: Work): Promise<void> {
  const record = await work.waitFor(work.recordStore.readRecord());
  work.dispatch({ type: "resumed", record });
  if (record?.inFlight) await checkOutcome(work);
  else if (record) await buildRemainder(work, { note: null });
}

/** Reads the stored record under the lock: another tab may have advanced it, or finished. */
async function checkOutcome(work: Work): Promise<void> {
  work.dispatch({ type: "checkStarted" });
  const hasRun = await work.withLock(async () => {
    const record = await work.waitFor(work.recordStore.readRecord());
    if (record) await adoptRecord(work, record);
    else work.dispatch({ type: "closed" });
  });
  if (!hasRun) work.dispatch({ type: "lockHeld", note: LOCK_HELD_NOTE });
}

async function confirmBuild(work: Work): Promise<void> {
  work.dispatch({ type: "confirmed" });
  let sign: SignTransaction;
  try {
    sign = await work.waitFor(work.getContext().openSigner(work.state.unsignedSteps[0]?.signer ?? work.spec.wallet));
  } catch (error) {
    return work.dispatch({ type: "signatureMissing", error });
  }
  const hasRun = await work.withLock(() => signAndSend(work, sign));
  if (!hasRun) work.dispatch({ type: "lockHeld", note: LOCK_HELD_NOTE });
}

async function acceptPrices(work: Work): Promise<void> {
  const { state } = work;
  if (state.phase !== "review") return;
  await work.getContext().prices.accept(state.doubts);
  work.dispatch({ type: "doubtsFound", doubts: await findDoubts(work, state.build) });
}

/**
 * Posts bytes in flight again until their outcome is known, then removes the stored record. Keeps the record while the
 * outcome is unknown: the person could then pay twice. A record that another tab is sending stays with that tab.
 */
async function discardRecord(work: Work): Promise<void> {
  let mayLand = false;
  // These waits do not end when the work is superseded: the person has left the action, whatever they start next.
  await work.withLock(async () => {
    const record = await work.recordStore.readRecord();
    if (record?.inFlight) {
      work.dispatch({ type: "resumed", record });
      const { outcome } = await awaitOutcome(work, record, { mayHaveBeenPosted: true, note: MAY_LAND_NOTE });
      mayLand = "unknown" in outcome;
    }
    if (!mayLand) await work.recordStore.removeRecord();
  });
  if (!mayLand) work.dispatch({ type: "closed" });
}
