"use client";

import { useSyncExternalStore } from "react";
import { createObservable } from "@/lib/sdk/observable";
import { useStoredValue } from "../local-storage/stored-value";

/** A signing request to the demo wallet: a text, or a base64 transaction. */
export type SigningRequest = { text: string } | { transaction: string };

interface Approval {
  request: SigningRequest;
  answer: (allowed: boolean) => void;
}

/** localStorage key: whether the demo wallet asks before each signature, as real wallets do. */
export const ASKS_FIRST = "roundup-demo-wallet-asks";

const waiting = createObservable<readonly Approval[]>([]);
const signed = createObservable<readonly SigningRequest[]>([]);

/**
 * Asks the person to approve a request when the setting is on.
 * @throws the error that wallets use when the person declines
 */
export async function requestApproval(request: SigningRequest): Promise<void> {
  if (localStorage.getItem(ASKS_FIRST) !== null) await ask(request);
  signed.set([...signed.get(), request]);
}

function ask(request: SigningRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const approval: Approval = {
      request,
      answer(allowed) {
        waiting.set(waiting.get().filter((one) => one !== approval));
        if (allowed) resolve();
        else reject(Object.assign(new Error("User rejected the request."), { code: 4001 }));
      },
    };
    waiting.set([...waiting.get(), approval]);
  });
}

/** Returns the oldest request that waits for approval. */
export const useApproval = () => useSyncExternalStore(waiting.subscribe, () => waiting.get()[0] ?? null);
/** Returns the requests signed since the page was loaded, oldest first. */
export const useSignedRequests = () => useSyncExternalStore(signed.subscribe, signed.get);
export const useAsksFirst = () => useStoredValue(ASKS_FIRST) !== null;
