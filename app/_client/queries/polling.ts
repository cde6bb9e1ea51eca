"use client";

import { useEffect, useSyncExternalStore } from "react";
import { mutate } from "swr";
import { createObservable } from "@/lib/sdk/observable";

/**
 * One visible tab holds a Web Lock and polls for all tabs. It broadcasts each response to the others. A hidden tab
 * releases the lock, so all tabs together poll as one tab does, and not at all while all are hidden.
 */
const LOCK_NAME = "roundup-polling";
const CHANNEL_NAME = "roundup-reads";

const leadership = createObservable(false);
let releaseLock: (() => void) | null = null;
let lockRequest: AbortController | null = null;
let subscriberCount = 0;

/** Returns whether this tab may poll: it is visible, and its page reads something. */
const isCandidate = () => subscriberCount > 0 && document.visibilityState === "visible";

/** Requests the lock while this tab may poll, and gives it up otherwise. */
function updateLeadership(): void {
  if (!isCandidate()) {
    lockRequest?.abort();
    lockRequest = null;
    releaseLock?.();
    releaseLock = null;
    return;
  }
  if (releaseLock || lockRequest) return;
  // Without the Web Locks API, every visible tab polls for itself. SWR pauses the polling of a hidden tab.
  if (!navigator.locks) {
    if (!leadership.get()) leadership.set(true);
    return;
  }
  lockRequest = new AbortController();
  navigator.locks
    .request(LOCK_NAME, { signal: lockRequest.signal }, () => {
      lockRequest = null;
      // The tab was hidden just as it got the lock, too late for the abort signal.
      if (!isCandidate()) return;
      leadership.set(true);
      return new Promise<void>((resolve) => {
        releaseLock = () => {
          leadership.set(false);
          resolve();
        };
      });
    })
    .catch((error) => {
      // The request was aborted because the tab was hidden before it got the lock.
      if (error.name === "AbortError") return;
      // A browser that blocks storage refuses locks too.
      lockRequest = null;
      leadership.set(true);
    });
}

function subscribeToLeadership(listener: () => void): () => void {
  const unsubscribe = leadership.subscribe(listener);
  subscriberCount++;
  // A second subscriber changes nothing: the document holds the listener once, and the lock is requested once.
  document.addEventListener("visibilitychange", updateLeadership);
  updateLeadership();
  return () => {
    unsubscribe();
    subscriberCount--;
    // A page that reads nothing, such as the documentation, leaves the polling to other tabs.
    updateLeadership();
  };
}

/** Returns whether this tab polls: for all tabs, or for itself without the Web Locks API. */
export function useIsPollingLeader(): boolean {
  return useSyncExternalStore(subscribeToLeadership, leadership.get, () => false);
}

/** A response that one tab broadcasts to the others. */
interface SharedRead {
  path: string;
  data: unknown;
  /** When the request was sent, ms since the epoch. */
  requestedAt: number;
}

let channel: BroadcastChannel | null = null;

/** Broadcasts a response to the other tabs. Does nothing while no component of this tab uses `useSharedReads`. */
export function shareRead(read: SharedRead): void {
  channel?.postMessage(read);
}

/**
 * Opens the channel between the tabs, and puts the responses of other tabs into this tab's cache. Mount once.
 * @param recordRead returns false for a response that is older than what this tab knows
 */
export function useSharedReads(recordRead: (path: string, requestTime: number, data: unknown) => boolean): void {
  useEffect(() => {
    if (!("BroadcastChannel" in window)) return;
    const openedChannel = new BroadcastChannel(CHANNEL_NAME);
    channel = openedChannel;
    openedChannel.onmessage = ({ data: { path, data, requestedAt } }: MessageEvent<SharedRead>) => {
      if (recordRead(path, requestedAt, data)) void mutate(path, data, { revalidate: false });
    };
    return () => {
      channel = null;
      openedChannel.close();
    };
  }, [recordRead]);
}
