"use client";

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { loadOnRender } from "@/app/_components/load-on-render";
import type { AuthRule } from "@/lib/contracts/define";
import type { Credentials } from "@/lib/sdk/calls/calls";
import type { ConnectedWallet } from "./docs-wallet";

/** This component loads only when the person wants to use a wallet. */
const DocsWallet = loadOnRender(() => import("./docs-wallet").then((module) => module.DocsWallet));

interface DocsSessionValue {
  connectedWallet: ConnectedWallet | null;
  apiKey: string;
  setApiKey(key: string): void;
  /** Opens the sheet for connecting a wallet and signing in. */
  askForWallet(): void;
  /** The transaction that a console passed last to the execute-transaction console, and when, ms since the Unix epoch. */
  passedTransaction: { transaction: string; atMs: number } | null;
  /** Passes an unsigned transaction, base64, to the execute-transaction console. */
  passToExecute(transaction: string): void;
}

const DocsSessionContext = createContext<DocsSessionValue | null>(null);

/**
 * Returns what all consoles share: credentials and the passed transaction.
 * @throws {Error} outside of DocsSession
 */
export function useDocsSession(): DocsSessionValue {
  const value = useContext(DocsSessionContext);
  if (!value) throw new Error("useDocsSession outside of DocsSession");
  return value;
}

/** Returns the credentials for an operation. A typed API key takes precedence where keys are accepted. */
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
