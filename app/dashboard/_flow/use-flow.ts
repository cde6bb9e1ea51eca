"use client";

import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { browserStorage, useStoredValue } from "@/app/_client/local-storage/stored-value";
import { createAppCalls } from "@/app/_client/queries/calls";
import { refreshWallets } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { tabFlows } from "@/app/dashboard/_components/tab-flows";
import type { NamedNetwork } from "@/lib/domain/texts";
import { createFlow, type Flow } from "@/lib/sdk/flow/engine";
import { type FlowRecord, getRecordKey, parseRecord } from "@/lib/sdk/flow/record";
import type { FlowState } from "@/lib/sdk/flow/state";
import type { BuildResult, FlowContext, FlowSpec } from "@/lib/sdk/flow/types";
import { createPriceGuard } from "@/lib/sdk/prices/guard";
import { signWithKey } from "@/lib/sdk/sign/transactions";
import { type Lock, systemClock } from "@/lib/sdk/world";

interface RememberedFlow<R, B extends BuildResult, D> {
  flow: Flow<R, B, D>;
  world: { current: FlowContext<D> };
}

export interface FlowHandle<R, B extends BuildResult, D> {
  flow: Flow<R, B, D>;
  state: FlowState<R, B, D>;
  /** The record of an interrupted run; null while this flow is running it. */
  unfinished: FlowRecord<R, D> | null;
}

/** Returns a wallet's flow and its state. */
export function useFlow<R, B extends BuildResult, D>(
  makeSpec: () => FlowSpec<R, B, D>,
  { openSigner, onLanded }: Pick<FlowContext<D>, "openSigner"> & Partial<Pick<FlowContext<D>, "onLanded">>,
): FlowHandle<R, B, D> {
  const { wallet, serviceWallet, credentials, network } = useReadySession();
  const [spec] = useState(makeSpec);
  const world: FlowContext<D> = {
    calls: createAppCalls(credentials),
    clock: systemClock,
    storage: browserStorage,
    lock: withLock,
    prices: createPriceGuard({ storage: browserStorage, clock: systemClock, network }),
    openSigner,
    onLanded(about, txSignature) {
      refreshWallets(wallet, serviceWallet);
      onLanded?.(about, txSignature);
    },
  };
  const [{ flow, world: current }] = useState(() => {
    const key = getRecordKey(spec.name, spec.wallet);
    const known = tabFlows.get(key);
    if (known) return known as RememberedFlow<R, B, D>;
    const reference = { current: world };
    const created = { flow: createFlow(spec, () => reference.current), world: reference };
    tabFlows.set(key, created);
    return created;
  });
  useEffect(() => {
    current.current = world;
  });
  useEffect(() => () => flow.close(), [flow]);
  const state = useSyncExternalStore(flow.subscribe, flow.getState, flow.getState);
  const isElsewhere = state.phase === "elsewhere";
  // Another device advanced this flow. Reload the wallets to show what it did.
  useEffect(() => {
    if (isElsewhere) refreshWallets(wallet, serviceWallet);
  }, [isElsewhere, wallet, serviceWallet]);
  const text = useStoredValue(getRecordKey(spec.name, spec.wallet));
  const unfinished = useMemo(() => parseRecord<R, D>(text), [text]);
  return { flow, state, unfinished: state.phase === "idle" ? unfinished : null };
}

/** Returns a flow that the service wallet signs with the key in this page's memory. */
export function useServiceFlow<R, B extends BuildResult, D>(
  makeSpec: (serviceWallet: string, network: NamedNetwork) => FlowSpec<R, B, D>,
): FlowHandle<R, B, D> {
  const { serviceWallet, network, getServiceKey } = useReadySession();
  return useFlow(() => makeSpec(serviceWallet, network), {
    async openSigner() {
      const keys = await getServiceKey();
      return async (transaction) => signWithKey(transaction, keys);
    },
  });
}

/**
 * Runs a task under a lock shared by all tabs of this browser. On an insecure origin the Web Locks API is missing and
 * the task runs without a lock.
 */
const withLock: Lock = async (name, task) => {
  if (!navigator.locks) {
    await task();
    return true;
  }
  return navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock) await task();
    return lock !== null;
  });
};
