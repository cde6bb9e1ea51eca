"use client";

import { useEffect } from "react";
import { browserStore, stopWriting, tabStore } from "../local-storage/browser-storage";
import { readServiceWallet } from "./stored-session";

/** Storage key of the wallet that was connected last. It stays after the person signs out. */
const LAST_WALLET_KEY = "roundup-last-wallet";
/** Storage key, for this tab only. It is set after the session has ended here, until a wallet is chosen. */
const ENDED_KEY = "roundup-session-ended";

/** Returns the name of the wallet that this browser connected last, or null. */
export const readLastWallet = () => browserStore.get(LAST_WALLET_KEY);
export const storeLastWallet = (name: string) => browserStore.keep(LAST_WALLET_KEY, name);

/** Returns whether this tab's session has ended because the browser had forgotten it. */
export const hasSessionEnded = () => tabStore.get(ENDED_KEY) !== null;
export const dismissSessionEnd = () => tabStore.store(ENDED_KEY, null);

/** Whose session this tab has: the connected wallet, and whether it has a service wallet. */
let session: { wallet: string; hasServiceWallet: boolean } | null = null;

/** Returns whether this tab has a session that another tab, or the browser's settings, have deleted from storage. */
const isForgotten = () =>
  session !== null &&
  (readLastWallet() === null || (session.hasServiceWallet && readServiceWallet(session.wallet) === null));

/** Ends this tab's session. Keys in memory end with the page. @param note stored for the next page of this tab */
function endSession(leave: () => void, note: string | null): void {
  session = null;
  tabStore.removeOwnEntries();
  tabStore.keep(ENDED_KEY, note);
  stopWriting();
  // The Back button can restore this page with its keys.
  window.addEventListener("pageshow", () => window.location.reload());
  leave();
}

/** Removes all entries of this app, and leaves for the landing page. The other tabs end their sessions too. */
export function forgetBrowser(): void {
  browserStore.removeOwnEntries();
  endSession(() => window.location.replace("/"), null);
}

function endIfForgotten(): void {
  if (isForgotten()) endSession(() => window.location.reload(), "1");
}

/**
 * Runs a task that signs or leads to a signature, unless the browser has forgotten the session. Also checks afterwards,
 * because a wallet may answer much later.
 * @throws {Error} when the browser has forgotten the session; the page then reloads
 */
export async function runIfRemembered<Result>(task: () => Promise<Result>): Promise<Result> {
  throwIfForgotten();
  const result = await task();
  throwIfForgotten();
  return result;
}

function throwIfForgotten(): void {
  if (!isForgotten()) return;
  endIfForgotten();
  throw new Error("This browser has forgotten your session. Connect your wallet again.");
}

/** Ends this tab's session as soon as this browser has forgotten it. A browser may delete site data without an event. */
export function useSessionEnd(wallet: string | null, hasServiceWallet: boolean): void {
  useEffect(() => {
    session = wallet === null ? null : { wallet, hasServiceWallet };
    endIfForgotten();
    return () => {
      session = null;
    };
  }, [wallet, hasServiceWallet]);
  useEffect(() => {
    const events = ["storage", "focus", "pageshow", "visibilitychange"];
    for (const event of events) window.addEventListener(event, endIfForgotten);
    return () => {
      for (const event of events) window.removeEventListener(event, endIfForgotten);
    };
  }, []);
}
