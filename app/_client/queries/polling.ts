"use client";

import { useEffect, useSyncExternalStore } from "react";
import { mutate } from "swr";

/**
 * One tab polls for all. The visible tab that holds the lock reads; what it reads reaches the others by broadcast. Hidden
 * tabs let go of the lock, so tabs together stay within one tab's calls and none is made while all are hidden.
 */
const LOCK = "roundup-polling";
const CHANNEL = "roundup-reads";

let leading = false;
const listeners = new Set<() => void>();
let release: (() => void) | null = null;
let waiting: AbortController | null = null;

function setLeading(next: boolean): void {
  leading = next;
  for (const listener of listeners) listener();
}

function follow(): void {
  const visible = document.visibilityState === "visible";
  if (!visible) {
    waiting?.abort();
    waiting = null;
    release?.();
    release = null;
    return;
  }
  if (release || waiting) return;
  if (!navigator.locks) {
    setLeading(true);
    return;
  }
  waiting = new AbortController();
  navigator.locks
    .request(LOCK, { signal: waiting.signal }, () => {
      waiting = null;
      // Its turn came just as the tab was hidden: too late to be aborted.
      if (document.visibilityState !== "visible") return;
      setLeading(true);
      return new Promise<void>((resolve) => {
        release = () => {
          setLeading(false);
          resolve();
        };
      });
    })
    // Aborted because the tab was hidden before its turn came.
    .catch(() => {});
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    document.addEventListener("visibilitychange", follow);
    follow();
  }
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether this tab is the one that polls. */
export function usePollingLeader(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => leading,
    () => false,
  );
}

interface Shared {
  key: string;
  data: unknown;
}

let channel: BroadcastChannel | null = null;

/** Gives what this tab has read to the others. */
export function shareRead(key: string, data: unknown): void {
  channel?.postMessage({ key, data } satisfies Shared);
}

/** Takes what other tabs have read. Mounted once. */
export function useSharedReads(): void {
  useEffect(() => {
    if (!("BroadcastChannel" in window)) return;
    const open = new BroadcastChannel(CHANNEL);
    channel = open;
    open.onmessage = ({ data: { key, data } }: MessageEvent<Shared>) => void mutate(key, data, { revalidate: false });
    return () => {
      channel = null;
      open.close();
    };
  }, []);
}
