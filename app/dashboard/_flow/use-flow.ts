"use client";

import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { checkRoom, StorageError } from "@/app/_client/local-storage/browser-storage";
import { memoryBackedStorage, recordStorage, useStoredValue } from "@/app/_client/local-storage/stored-value";
import { createAppCalls } from "@/app/_client/queries/calls";
import { refreshWallets } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { runIfRemembered } from "@/app/_client/wallet/session-end";
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
export const WALLET_SIGNING_MS = 10_000;

interface FlowOptions {
  /** True for a withdrawal: nothing may keep people from their money. Default: false. */
  mayRunUnrecorded?: boolean;
}

/** Returns a wallet's flow and its state. The first call in a tab creates the flow. */
export function useFlow<Request, Build extends BuildResult, About>(
  createSpec: () => FlowSpec<Request, Build, About>,
  {
    openSigner,
    signingMs,
    onLanded,
    mayRunUnrecorded = false,
  }: Pick<FlowContext<About>, "openSigner" | "signingMs" | "onLanded"> & FlowOptions,
): FlowHandle<Request, Build, About> {
  const { wallet, serviceWallet, credentials, network } = useReadySession();
  const [spec] = useState(createSpec);
  const context: FlowContext<About> = {
    calls: createAppCalls(credentials),
    clock: systemClock,
    storage: mayRunUnrecorded ? memoryBackedStorage : recordStorage,
    lock: withLock,
    prices: createPriceGuard({ storage: memoryBackedStorage, clock: systemClock, network }),
    signingMs,
    openSigner: (signer) =>
      runIfRemembered(async () => {
        const problem = mayRunUnrecorded ? null : checkRoom();
        // Refuse before the wallet is asked: signed bytes are not sent without their record.
        if (problem) throw new StorageError(problem);
        return openSigner(signer);
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
  const isElsewhere = state.phase === "elsewhere";
  // Another tab or device advanced this flow. Reload the wallets to show what it did.
  useEffect(() => {
    if (isElsewhere) refreshWallets(wallet, serviceWallet);
  }, [isElsewhere, wallet, serviceWallet]);
  const storedText = useStoredValue(getRecordKey(spec.name, spec.wallet));
  const unfinishedRecord = useMemo(() => parseRecord<Request, About>(storedText), [storedText]);
  return { flow, state, unfinishedRecord: state.phase === "idle" ? unfinishedRecord : null, mayRunUnrecorded };
}

/** Returns a flow that the service wallet signs with the key in this page's memory. */
export function useServiceFlow<Request, Build extends BuildResult, About>(
  createSpec: (serviceWallet: string, network: NamedNetwork) => FlowSpec<Request, Build, About>,
  options?: FlowOptions,
): FlowHandle<Request, Build, About> {
  const { serviceWallet, network, getServiceKey } = useReadySession();
  return useFlow(() => createSpec(serviceWallet, network), {
    ...options,
    async openSigner() {
      const serviceKey = await getServiceKey();
      return (transaction) => runIfRemembered(async () => signWithKey(transaction, serviceKey));
    },
  });
}

/**
 * Returns the names of the locks that the tabs of this browser hold. Returns null without locks: on an insecure origin
 * the Web Locks API is missing, and a browser that blocks storage refuses locks too.
 */
export async function readHeldLocks(): Promise<string[] | null> {
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
