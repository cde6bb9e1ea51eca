"use client";

import { useEffect, useSyncExternalStore } from "react";
import { mutate } from "swr";
import { createObservable } from "@/lib/sdk/observable";
import type { Freshness } from "./freshness";

/**
 * One visible tab holds a Web Lock and polls for all tabs. It broadcasts each response to the others. A hidden tab
 * releases the lock, so all tabs together use one tab's calls and none while all are hidden.
 */
const LOCK = "roundup-polling";
const CHANNEL = "roundup-reads";

const leading = createObservable(false);
let release: (() => void) | null = null;
let waiting: AbortController | null = null;

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
    if (!leading.get()) leading.set(true);
    return;
  }
  waiting = new AbortController();
  navigator.locks
    .request(LOCK, { signal: waiting.signal }, () => {
      waiting = null;
      // The tab was hidden just as it got the lock, too late for the abort signal.
      if (document.visibilityState !== "visible") return;
      leading.set(true);
      return new Promise<void>((resolve) => {
        release = () => {
          leading.set(false);
          resolve();
        };
      });
    })
    // The request was aborted because the tab was hidden before it got the lock.
    .catch(() => {});
}

function subscribe(listener: () => void): () => void {
  const end = leading.subscribe(listener);
  // A second subscriber changes nothing: the document calls `follow` once, and `follow` asks for the lock once.
  document.addEventListener("visibilitychange", follow);
  follow();
  return end;
}

/** Returns whether this tab polls for all tabs. */
export function usePollingLeader(): boolean {
  return useSyncExternalStore(subscribe, leading.get, () => false);
}

interface SharedRead {
  key: string;
  data: unknown;
  /** When the request was sent, ms since the epoch. */
  at: number;
}

let channel: BroadcastChannel | null = null;

/** Broadcasts a response to the other tabs. */
export function shareRead(read: SharedRead): void {
  channel?.postMessage(read);
}

/**
 * Puts responses broadcast by other tabs into this tab's cache. Mount once.
 * @param recordRead returns false for a response that is older than what this tab knows
 */
export function useSharedReads(recordRead: Freshness["recordRead"]): void {
  useEffect(() => {
    if (!("BroadcastChannel" in window)) return;
    const open = new BroadcastChannel(CHANNEL);
    channel = open;
    open.onmessage = ({ data: { key, data, at } }: MessageEvent<SharedRead>) => {
      if (recordRead(key, at)) void mutate(key, data, { revalidate: false });
    };
    return () => {
      channel = null;
      open.close();
    };
  }, [recordRead]);
}
