"use client";

import { useEffect } from "react";
import { browserStore, stopWriting, tabStore } from "../local-storage/browser-storage";
import { readServiceWallet } from "./stored-session";

/** The wallet that was connected last. It stays after a sign-out. */
const LAST_WALLET_KEY = "roundup-last-wallet";
/** In this tab, from the end of its session until a wallet is chosen. */
const ENDED_KEY = "roundup-session-ended";

export const readLastWallet = () => browserStore.get(LAST_WALLET_KEY);
export const storeLastWallet = (name: string) => browserStore.keep(LAST_WALLET_KEY, name);

/** Whether this tab's session has ended because the browser had forgotten it. */
export const hasSessionEnded = () => tabStore.get(ENDED_KEY) !== null;
export const dismissSessionEnd = () => tabStore.store(ENDED_KEY, null);

/** Whose session this tab has: the connected wallet, and whether it has a service wallet. */
let session: { wallet: string; hasServiceWallet: boolean } | null = null;

/** Whether another tab or the browser's settings have deleted this tab's session from storage. */
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

/** Removes everything of this app, which ends the sessions of other tabs too, and leaves for the landing page. */
export function forgetBrowser(): void {
  browserStore.removeOwnEntries();
  endSession(() => window.location.replace("/"), null);
}

function endIfForgotten(): void {
  if (isForgotten()) endSession(() => window.location.reload(), "1");
}

/** Runs a task that signs. Checks again afterwards: a wallet may answer much later. @throws {Error} when forgotten */
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

/** Ends the session once it is forgotten. A browser may delete site data without an event. */
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
