"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { alone } from "@/app/_client/kept/alone";
import { keepUnfinished, unfinishedOf, useUnfinished } from "@/app/_client/kept/unfinished";
import { refreshWallets } from "@/app/_client/reads/reads";
import { useReadySession } from "@/app/_client/wallet/session";
import { createFlow } from "@/lib/sdk/flow/engine";
import type { Built, Flow, FlowSpec, FlowState, World } from "@/lib/sdk/flow/types";
import type { Unfinished } from "@/lib/sdk/flow/unfinished";

interface Kept {
  flow: unknown;
  world: { current: World };
}

/** Flows outlive the page they were started on: whoever comes back while one runs finds it running. */
const kept = new Map<string, Kept>();

/** A wallet's flow, its state, and what an earlier one left unfinished. */
export function useFlow<R, B extends Built, D>(
  makeSpec: (serviceWallet: string) => FlowSpec<R, B, D>,
): { flow: Flow<R, B, D>; state: FlowState<R, B, D>; unfinished: Unfinished<R, D> | null } {
  const { wallet, serviceWallet, credentials, serviceKey } = useReadySession();
  const [spec] = useState(() => makeSpec(serviceWallet));
  const world: World = {
    credentials,
    serviceKey,
    keep: (record) => keepUnfinished(spec.name, serviceWallet, record as Unfinished<R, D> | null),
    kept: () => unfinishedOf(spec.name, serviceWallet),
    landed: () => refreshWallets(wallet, serviceWallet),
    alone: (task) => alone(`roundup-run:${serviceWallet}`, task),
  };
  const [{ flow, world: current }] = useState(() => {
    const key = `${spec.name}:${serviceWallet}`;
    const known = kept.get(key);
    if (known) return known as Kept & { flow: Flow<R, B, D> };
    const reference = { current: world };
    const created = { flow: createFlow(spec, () => reference.current), world: reference };
    kept.set(key, created);
    return created;
  });
  useEffect(() => {
    current.current = world;
  });
  useEffect(() => () => flow.close(), [flow]);
  const state = useSyncExternalStore(flow.subscribe, flow.state, flow.state);
  const unfinished = useUnfinished<R, D>(spec.name, serviceWallet);
  return { flow, state, unfinished: state.phase === "idle" ? unfinished : null };
}
