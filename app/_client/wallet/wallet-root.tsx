"use client";

import type { Adapter, WalletError } from "@solana/wallet-adapter-base";
import { WalletProvider } from "@solana/wallet-adapter-react";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { loadOnRender } from "@/app/_components/load-on-render";
import { retryLoad } from "@/app/_components/retry-load";
import { prepareSignIn, type SignInWallet } from "@/lib/sdk/sign/sign-in";
import { isSandbox } from "../network";
import { createAppCalls } from "../queries/calls";
import { useApproval } from "./approval";
import { SessionProvider } from "./session";
import { storeSignIn } from "./stored-session";

const ApprovalDialog = loadOnRender(() => import("./approval-dialog").then((module) => module.ApprovalDialog));

/** Many visits never need the dialog's code. */
const DemoWalletApproval = () => useApproval() && <ApprovalDialog />;

/** Every wallet registers through Wallet Standard. */
const WALLETS: Adapter[] = [];

/** Runs in the browser only. The demo wallet registers before the adapter reads the list of wallets. */
export function WalletRoot({ children, fallback }: { children: ReactNode; fallback: ReactNode }) {
  const [isReady, setIsReady] = useState(false);

  useEffect(() => {
    if (!isSandbox()) {
      setIsReady(true);
      return;
    }
    let isMounted = true;
    void retryLoad(() => import("./demo-wallet"))().finally(() => isMounted && setIsReady(true));
    return () => {
      isMounted = false;
    };
  }, []);

  const { connection, onError, autoConnect } = useConnection();

  if (!isReady) return fallback;
  return (
    <WalletProvider wallets={WALLETS} autoConnect={autoConnect} onError={onError}>
      <SessionProvider connection={connection}>
        {children}
        <DemoWalletApproval />
      </SessionProvider>
    </WalletProvider>
  );
}

/** A chosen wallet with `solana:signIn` connects and signs in with one approval. On a reload it connects silently. */
function useConnection() {
  // A signature's error reaches its caller. A connection has no caller, so its error is stored for the onboarding.
  const [error, setError] = useState<Error | null>(null);
  const onError = useCallback((error: WalletError) => {
    if (error.name === "WalletSignInError" || !error.name.startsWith("WalletSign")) setError(error);
  }, []);
  const chosenNameRef = useRef<string | null>(null);
  const onChoose = useCallback((walletName: string | null) => {
    chosenNameRef.current = walletName;
    setError(null);
  }, []);
  const [signInCount, setSignInCount] = useState(0);
  const connection = useMemo(() => ({ error, signInCount, onChoose }), [error, signInCount, onChoose]);
  const autoConnect = useCallback(async (adapter: Adapter) => {
    if (chosenNameRef.current !== adapter.name || !("signIn" in adapter)) return true;
    const signIn = await prepareSignIn(createAppCalls(null), window.location.origin).catch(() => null);
    if (!signIn || chosenNameRef.current !== adapter.name) return true;
    try {
      const { credentials, expiresAt } = await signIn(adapter as unknown as SignInWallet);
      storeSignIn(credentials, Date.parse(expiresAt));
    } catch (error) {
      setError(error as Error);
      throw error;
    }
    setSignInCount((count) => count + 1);
    return false;
  }, []);
  return { connection, onError, autoConnect };
}
