"use client";

import { useState, useSyncExternalStore } from "react";
import { useReadySession } from "@/app/_client/wallet/session";
import { createObservable } from "@/lib/sdk/observable";

/** The wallet for which auto-invest was turned on in this tab. Survives a reload, which drops the service key. */
const STORAGE_KEY = "roundup-auto-invest";

const changes = createObservable(null);

/** Turns auto-invest on for a wallet in this tab. Null turns it off. */
export function setAutoInvest(wallet: string | null): void {
  if (wallet === null) sessionStorage.removeItem(STORAGE_KEY);
  else sessionStorage.setItem(STORAGE_KEY, wallet);
  changes.set(null);
}

/** Returns whether the person turned auto-invest on in this tab. It also needs the service key to run. */
export const useAutoInvest = (wallet: string): boolean =>
  useSyncExternalStore(
    changes.subscribe,
    () => sessionStorage.getItem(STORAGE_KEY) === wallet,
    () => false,
  );

/** Returns `turnOn`, which gets the service key before it turns auto-invest on. The wallet may have to sign for it. */
export function useTurnOn() {
  const { wallet, getServiceKey } = useReadySession();
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const turnOn = async () => {
    setAsking(true);
    setError(null);
    try {
      await getServiceKey();
      setAutoInvest(wallet);
    } catch (cause) {
      setError(cause);
    }
    setAsking(false);
  };
  return { turnOn: () => void turnOn(), isAsking, error };
}
