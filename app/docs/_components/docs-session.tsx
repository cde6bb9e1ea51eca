"use client";

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { loadOnRender } from "@/app/_components/load-on-render";
import type { AuthRule } from "@/lib/contracts/define";
import type { Credentials } from "@/lib/sdk/calls/calls";
import type { ConnectedWallet } from "./docs-wallet";

/** Loads when the person wants to use a wallet. */
const DocsWallet = loadOnRender(() => import("./docs-wallet").then((module) => module.DocsWallet));

interface DocsSessionValue {
  connectedWallet: ConnectedWallet | null;
  apiKey: string;
  setApiKey(key: string): void;
  askForWallet(): void;
  /** Unsigned (base64), passed to the execute-transaction console at a time, ms since the epoch. */
  passedTransaction: { transaction: string; atMs: number } | null;
  passToExecute(transaction: string): void;
}

const DocsSessionContext = createContext<DocsSessionValue | null>(null);

/** What all consoles share. @throws {Error} outside of DocsSession */
export function useDocsSession(): DocsSessionValue {
  const value = useContext(DocsSessionContext);
  if (!value) throw new Error("useDocsSession outside of DocsSession");
  return value;
}

/** A typed API key takes precedence where keys are accepted. */
export function selectCredentials(auth: AuthRule, { apiKey, connectedWallet }: DocsSessionValue): Credentials | null {
  if (auth === "none") return null;
  if ((auth === "caller" || auth === "optional") && apiKey.trim()) return { "x-api-key": apiKey.trim() };
  return connectedWallet?.credentials ?? null;
}

export function DocsSession({ children }: { children: ReactNode }) {
  const [connectedWallet, setConnectedWallet] = useState<ConnectedWallet | null>(null);
  const [apiKey, setApiKey] = useState("");
  const [wasWalletRequested, setWasWalletRequested] = useState(false);
  const [isSheetOpen, setIsSheetOpen] = useState(false);
  const [passedTransaction, setPassedTransaction] = useState<DocsSessionValue["passedTransaction"]>(null);
  const closeSheet = useCallback(() => setIsSheetOpen(false), []);
  const value = useMemo<DocsSessionValue>(
    () => ({
      connectedWallet,
      apiKey,
      setApiKey,
      askForWallet: () => {
        setWasWalletRequested(true);
        setIsSheetOpen(true);
      },
      passedTransaction,
      passToExecute: (transaction) => setPassedTransaction({ transaction, atMs: Date.now() }),
    }),
    [connectedWallet, apiKey, passedTransaction],
  );
  return (
    <DocsSessionContext.Provider value={value}>
      {wasWalletRequested && <DocsWallet open={isSheetOpen} onClose={closeSheet} onChange={setConnectedWallet} />}
      {children}
    </DocsSessionContext.Provider>
  );
}
