"use client";

import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { checkRoom, StorageError } from "@/app/_client/local-storage/browser-storage";
import { memoryBackedStorage, recordStorage, useStoredValue } from "@/app/_client/local-storage/stored-value";
import { createAppCalls } from "@/app/_client/queries/calls";
import { refreshWallets } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { runIfRemembered } from "@/app/_client/wallet/session-end";
import { useSignTransaction } from "@/app/_client/wallet/use-sign-transaction";
import { tabFlows } from "@/app/dashboard/_components/tab-flows";
import type { NamedNetwork } from "@/lib/domain/signed-texts";
import { createFlow, type Flow } from "@/lib/sdk/flow/engine";
import { type FlowRecord, getRecordKey, parseRecord } from "@/lib/sdk/flow/record";
import type { FlowState } from "@/lib/sdk/flow/state";
import type { BuildResult, FlowContext, FlowSpec } from "@/lib/sdk/flow/types";
import { type Lock, systemClock } from "@/lib/sdk/platform";
import { createPriceGuard } from "@/lib/sdk/prices/guard";
import { signWithKey } from "@/lib/sdk/sign/transactions";

interface RememberedFlow<Request, Build extends BuildResult, About> {
  flow: Flow<Request, Build, About>;
  /** The context of the newest render. The flow reads it at each use. */
  contextRef: { current: FlowContext<About> };
}

export interface FlowHandle<Request, Build extends BuildResult, About> {
  flow: Flow<Request, Build, About>;
  state: FlowState<Request, Build, About>;
  /** The record of an interrupted run; null while this flow is running it. */
  unfinishedRecord: FlowRecord<Request, About> | null;
  /** Whether the action goes on, with its record in memory, when the browser does not store it. */
  mayRunUnrecorded: boolean;
}

/** How long a person takes to read and confirm a request in the wallet's window, ms. */
const WALLET_SIGNING_MS = 10_000;

interface FlowOptions<About> extends Pick<FlowContext<About>, "onLanded"> {
  /** True for a withdrawal: nothing may keep people from their money. Default: false. */
  mayRunUnrecorded?: boolean;
  /** Whether to ask for the outcome of what an earlier page load left in flight. Default: true. */
  resumesInFlight?: boolean;
}

/** Returns a wallet's flow and its state. The first call in a tab creates the flow. */
function useFlow<Request, Build extends BuildResult, About>(
  createSpec: () => FlowSpec<Request, Build, About>,
  { onLanded, mayRunUnrecorded = false, resumesInFlight = true }: FlowOptions<About> = {},
): FlowHandle<Request, Build, About> {
  const { wallet, serviceWallet, credentials, network, getServiceKey } = useReadySession();
  const signWithWallet = useSignTransaction();
  const [spec] = useState(createSpec);
  const context: FlowContext<About> = {
    calls: createAppCalls(credentials),
    clock: systemClock,
    storage: mayRunUnrecorded ? memoryBackedStorage : recordStorage,
    lock: withLock,
    prices: createPriceGuard({ storage: memoryBackedStorage, clock: systemClock, network }),
    signingMs: spec.wallet === serviceWallet ? undefined : WALLET_SIGNING_MS,
    openSigner: (signer) =>
      runIfRemembered(async () => {
        const problem = mayRunUnrecorded ? null : checkRoom();
        // Refuse before the wallet is asked: signed bytes are not sent without their record.
        if (problem) throw new StorageError(problem);
        if (signer !== serviceWallet) return signWithWallet;
        const serviceKey = await getServiceKey();
        return (transaction) => runIfRemembered(async () => signWithKey(transaction, serviceKey));
      }),
    onLanded(about, txSignature) {
      refreshWallets(wallet, serviceWallet);
      onLanded?.(about, txSignature);
    },
  };
  const [{ flow, contextRef }] = useState(() => {
    const key = getRecordKey(spec.name, spec.wallet);
    const rememberedFlow = tabFlows.get(key);
    if (rememberedFlow) return rememberedFlow as RememberedFlow<Request, Build, About>;
    const newContextRef = { current: context };
    const newFlow = { flow: createFlow(spec, () => newContextRef.current), contextRef: newContextRef };
    tabFlows.set(key, newFlow);
    return newFlow;
  });
  useEffect(() => {
    contextRef.current = context;
  });
  useEffect(() => () => flow.close(), [flow]);
  const state = useSyncExternalStore(flow.subscribe, flow.getState, flow.getState);
  const { phase } = state;
  // Another tab or device advanced this flow. Reload the wallets to show what it did.
  useEffect(() => {
    if (phase === "elsewhere") refreshWallets(wallet, serviceWallet);
  }, [phase, wallet, serviceWallet]);
  const storedText = useStoredValue(getRecordKey(spec.name, spec.wallet));
  const record = useMemo(() => parseRecord<Request, About>(storedText), [storedText]);
  const isInFlight = Boolean(record?.inFlight);
  // Once per page load. The flow's sheet shows the progress and the receipt.
  useEffect(() => {
    if (!resumesInFlight || (phase === "idle" && (!isInFlight || resumedFlows.has(flow)))) return;
    resumedFlows.add(flow);
    if (phase === "idle") void resumeUnlessBusy(flow);
  }, [flow, phase, isInFlight, resumesInFlight]);
  return { flow, state, unfinishedRecord: phase === "idle" ? record : null, mayRunUnrecorded };
}

/** Returns a flow of the savings wallet. The key in this page's memory signs. */
export function useServiceFlow<Request, Build extends BuildResult, About>(
  createSpec: (serviceWallet: string, network: NamedNetwork) => FlowSpec<Request, Build, About>,
  options?: FlowOptions<About>,
): FlowHandle<Request, Build, About> {
  const { serviceWallet, network } = useReadySession();
  return useFlow(() => createSpec(serviceWallet, network), options);
}

/** Returns a flow of the main wallet. It signs, except the steps that the savings wallet signs by allowance. */
export function useWalletFlow<Request, Build extends BuildResult, About>(
  createSpec: (wallet: string, serviceWallet: string, network: NamedNetwork) => FlowSpec<Request, Build, About>,
  onLanded?: FlowContext<About>["onLanded"],
): FlowHandle<Request, Build, About> {
  const { wallet, serviceWallet, network } = useReadySession();
  return useFlow(() => createSpec(wallet, serviceWallet, network), { onLanded });
}

type ReviewState = Pick<FlowState, "phase" | "note" | "signError" | "doubts"> & {
  build: { blocked?: string | null } | null;
};

/**
 * Confirms the review that a click has just opened, so that the click is the only one. It confirms only the
 * first review after a start, and only at once. The person decides about a review that has something to explain, or that
 * a timer has renewed.
 * @param isAllowed whether the person's click covers this review
 */
export function useAutoConfirm(
  flow: Pick<Flow<never, unknown, unknown>, "confirm">,
  { phase, note, signError, doubts, build }: ReviewState,
  isAllowed: boolean,
) {
  const wasReviewedRef = useRef(false);
  useEffect(() => {
    if (phase === "idle" || phase === "done") wasReviewedRef.current = false;
    if (phase !== "review" || wasReviewedRef.current) return;
    wasReviewedRef.current = true;
    const isClear = note === null && signError === null && doubts.length === 0 && !build?.blocked;
    if (isAllowed && isClear) void flow.confirm();
  }, [flow, phase, note, signError, doubts, build, isAllowed]);
}

/** Flows whose transaction in flight this page load already follows. */
const resumedFlows = new WeakSet<object>();

/** Resumes the flow, unless another tab is sending. That tab then learns the outcome. */
async function resumeUnlessBusy(flow: { resume(): Promise<void> }): Promise<void> {
  // The names of the locks that `lib/sdk/flow/work.ts` takes while it sends begin with this prefix.
  const heldLocks = (await readHeldLocks()) ?? [];
  if (!heldLocks.some((name) => name.startsWith("roundup-run:"))) void flow.resume();
}

/**
 * Returns the names of the locks that the tabs of this browser hold. Returns null without locks: on an insecure origin
 * the Web Locks API is missing, and a browser that blocks storage refuses locks too.
 */
async function readHeldLocks(): Promise<string[] | null> {
  const locks = await navigator.locks?.query().catch(() => null);
  return locks ? (locks.held ?? []).map(({ name = "" }) => name) : null;
}

/**
 * Runs a task under a lock shared by all tabs of this browser. Without locks, the task runs all the same.
 * @returns whether the task ran; false while another tab has the lock
 */
const withLock: Lock = async (name, task) => {
  if ((await readHeldLocks()) === null) {
    await task();
    return true;
  }
  return navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock) await task();
    return lock !== null;
  });
};
