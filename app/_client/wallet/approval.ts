"use client";

import { useSyncExternalStore } from "react";
import { useStoredValue } from "../local-storage/stored-value";

/** A signing request to the demo wallet: a text, or a base64 transaction. */
export type SigningRequest = { text: string } | { transaction: string };

interface Approval {
  asked: SigningRequest;
  answer: (allowed: boolean) => void;
}

/** localStorage key: whether the demo wallet asks before each signature, as real wallets do. */
export const ASKS_FIRST = "roundup-demo-wallet-asks";

let waiting: readonly Approval[] = [];
let signed: readonly SigningRequest[] = [];
const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

/**
 * Asks the person to approve a request when the setting is on.
 * @throws the error that wallets use when the person declines
 */
export async function requestApproval(asked: SigningRequest): Promise<void> {
  if (localStorage.getItem(ASKS_FIRST) !== null) await ask(asked);
  signed = [...signed, asked];
  changed();
}

function ask(asked: SigningRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const approval: Approval = {
      asked,
      answer(allowed) {
        waiting = waiting.filter((one) => one !== approval);
        changed();
        if (allowed) resolve();
        else reject(Object.assign(new Error("User rejected the request."), { code: 4001 }));
      },
    };
    waiting = [...waiting, approval];
    changed();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the oldest request that waits for approval. */
export const useApproval = () => useSyncExternalStore(subscribe, () => waiting[0] ?? null);
/** Returns the requests signed since the page was loaded, oldest first. */
export const useSignedRequests = () => useSyncExternalStore(subscribe, () => signed);
export const useAsksFirst = () => useStoredValue(ASKS_FIRST) !== null;
