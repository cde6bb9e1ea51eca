"use client";

import { useSyncExternalStore } from "react";
import { useStoredValue } from "../local-storage/stored-value";

/** What the demo wallet is asked to sign: a text, or a transaction in base64. */
export type SigningRequest = { text: string } | { transaction: string };

interface Approval {
  asked: SigningRequest;
  answer: (allowed: boolean) => void;
}

/** Whether the demo wallet asks before each signature, as wallets do; kept in this browser. */
export const ASKS_FIRST = "roundup-demo-wallet-asks";

let waiting: readonly Approval[] = [];
let signed: readonly SigningRequest[] = [];
const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

/**
 * Lets the person look first, where that is wanted.
 * @throws an error as wallets answer with when the person says no
 */
export async function approved(asked: SigningRequest): Promise<void> {
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

/** The oldest request that waits for an answer. */
export const useApproval = () => useSyncExternalStore(subscribe, () => waiting[0] ?? null);
/** What was signed since the page was loaded, oldest first. */
export const useSigned = () => useSyncExternalStore(subscribe, () => signed);
export const useAsksFirst = () => useStoredValue(ASKS_FIRST) !== null;
