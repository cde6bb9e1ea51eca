"use client";

import dynamic from "next/dynamic";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import type { AuthRule } from "@/lib/contracts/define";
import type { Credentials } from "@/lib/sdk/calls/calls";
import type { ConnectedWallet } from "./connected-wallet";

/** The wallet code comes when somebody asks for it, and not before. */
const DocsWallet = dynamic(() => import("./docs-wallet"), { ssr: false });

interface DocsSessionValue {
  connected: ConnectedWallet | null;
  apiKey: string;
  setApiKey(key: string): void;
  /** Opens the way to a signed-in wallet. */
  askForWallet(): void;
  /** A transaction on its way from one console to execute-swap's. */
  handed: { transaction: string; at: number } | null;
  handOver(transaction: string): void;
}

const Context = createContext<DocsSessionValue | null>(null);

export function useDocsSession(): DocsSessionValue {
  const value = useContext(Context);
  if (!value) throw new Error("useDocsSession outside of DocsSession");
  return value;
}

/** Credentials for an operation: a typed key goes first, where keys are taken. */
export function credentialsFor(auth: AuthRule, { apiKey, connected }: DocsSessionValue): Credentials | null {
  if (auth === "none") return null;
  if ((auth === "caller" || auth === "optional") && apiKey.trim()) return { "x-api-key": apiKey.trim() };
  return connected?.credentials ?? null;
}

export function DocsSession({ children }: { children: ReactNode }) {
  const [connected, setConnected] = useState<ConnectedWallet | null>(null);
  const [apiKey, setApiKey] = useState("");
  const [asked, setAsked] = useState(false);
  const [open, setOpen] = useState(false);
  const [handed, setHanded] = useState<DocsSessionValue["handed"]>(null);
  const close = useCallback(() => setOpen(false), []);
  const value = useMemo<DocsSessionValue>(
    () => ({
      connected,
      apiKey,
      setApiKey,
      askForWallet: () => {
        setAsked(true);
        setOpen(true);
      },
      handed,
      handOver: (transaction) => setHanded({ transaction, at: Date.now() }),
    }),
    [connected, apiKey, handed],
  );
  return (
    <Context.Provider value={value}>
      {asked && <DocsWallet open={open} onClose={close} onChange={setConnected} />}
      {children}
    </Context.Provider>
  );
}
