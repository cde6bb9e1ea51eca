"use client";

import { useSyncExternalStore } from "react";
import { createObservable } from "@/lib/sdk/observable";
import { browserStore } from "../local-storage/browser-storage";
import { useStoredValue } from "../local-storage/stored-value";

/** A signing request to the demo wallet: a text, or a base64 transaction. */
export type SigningRequest = { text: string } | { transaction: string };

interface Approval {
  request: SigningRequest;
  answer: (isAllowed: boolean) => void;
}

/** While it is stored, the demo wallet asks before each signature, as real wallets do. */
export const ASKS_FIRST_KEY = "roundup-demo-wallet-asks";

const pendingApprovals = createObservable<readonly Approval[]>([]);
const signedRequests = createObservable<readonly SigningRequest[]>([]);

/** Asks the person if the setting is on, then lists the request as signed. @throws code 4001 when declined */
export async function requestApproval(request: SigningRequest): Promise<void> {
  if (browserStore.get(ASKS_FIRST_KEY) !== null) await waitForApproval(request);
  signedRequests.set([...signedRequests.get(), request]);
}

function waitForApproval(request: SigningRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const approval: Approval = {
      request,
      answer(isAllowed) {
        pendingApprovals.set(pendingApprovals.get().filter((pending) => pending !== approval));
        if (isAllowed) resolve();
        else reject(Object.assign(new Error("User rejected the request."), { code: 4001 }));
      },
    };
    pendingApprovals.set([...pendingApprovals.get(), approval]);
  });
}

/** The oldest request that waits. */
export const useApproval = () =>
  useSyncExternalStore(pendingApprovals.subscribe, () => pendingApprovals.get()[0] ?? null);
/** Since the page was loaded, oldest first. */
export const useSignedRequests = () => useSyncExternalStore(signedRequests.subscribe, signedRequests.get);
export const useAsksFirst = () => useStoredValue(ASKS_FIRST_KEY) !== null;
