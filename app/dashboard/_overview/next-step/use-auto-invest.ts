"use client";

import { useState, useSyncExternalStore } from "react";
import { useReadySession } from "@/app/_client/wallet/session";
import { createObservable } from "@/lib/sdk/observable";

/** Stores the wallet for which auto-invest was turned on in this tab. Unlike the service key, it survives a reload. */
const STORAGE_KEY = "roundup-auto-invest";

const changes = createObservable(null);

/** Turns auto-invest on for a wallet in this tab. Null turns it off. */
export function setAutoInvest(wallet: string | null): void {
  if (wallet === null) sessionStorage.removeItem(STORAGE_KEY);
  else sessionStorage.setItem(STORAGE_KEY, wallet);
  changes.set(null);
}

/** Returns whether the person turned auto-invest on in this tab. To run, it also needs the service key. */
export const useIsAutoInvestOn = (wallet: string): boolean =>
  useSyncExternalStore(
    changes.subscribe,
    () => sessionStorage.getItem(STORAGE_KEY) === wallet,
    () => false,
  );

/** Returns `turnOn`, which gets the service key before it turns auto-invest on. The wallet may have to sign for it. */
export function useAutoInvestStart() {
  const { wallet, getServiceKey } = useReadySession();
  const [isAsking, setIsAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const turnOn = async () => {
    setIsAsking(true);
    setError(null);
    try {
      await getServiceKey();
      setAutoInvest(wallet);
    } catch (cause) {
      setError(cause);
    }
    setIsAsking(false);
  };
  return { turnOn: () => void turnOn(), isAsking, error };
}
