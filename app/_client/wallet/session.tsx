"use client";

import type { WalletName } from "@solana/wallet-adapter-base";
import { useWallet } from "@solana/wallet-adapter-react";
import bs58 from "bs58";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import nacl from "tweetnacl";
import { calls } from "@/app/_client/reads/calls";
import type { deriveWalletContract } from "@/lib/contracts/derive-wallet";
import type { getAuthMessageContract } from "@/lib/contracts/get-auth-message";
import type { getDerivationMessageContract } from "@/lib/contracts/get-derivation-message";
import { serviceWalletSeed } from "@/lib/domain/service-wallet";
import type { Credentials } from "@/lib/sdk/calls/calls";
import { toBase64, utf8 } from "@/lib/solana/bytes";

/** Where a person stands. Each step has its own words in the onboarding. */
export type SessionStep = "connect" | "connecting" | "sign-in" | "service-wallet" | "ready";

/** The wallet signs the same text differently each time, so no key can be derived from it again. */
export class NotDeterministicError extends Error {}
/** The wallet signed with another account than the one that is connected. */
export class WrongAccountError extends Error {}

export interface Session {
  step: SessionStep;
  /** Connects an installed wallet, by its name. What goes wrong shows up as `connectError`. */
  connect(walletName: string): void;
  /** Why the last connection, asked for or remembered, did not come about or ended by itself. */
  connectError: Error | null;
  /** The connected wallet's address. */
  wallet: string | null;
  credentials: Credentials | null;
  /** Its public key; known after the first derivation, also over reloads. */
  serviceWallet: string | null;
  /** Asks the wallet for the sign-in signature. */
  signIn(): Promise<void>;
  /** Asks the wallet twice for the derivation signature, compares, and agrees with the server on the public key. */
  createServiceWallet(onProgress?: (signature: 1 | 2) => void): Promise<void>;
  /** The service key, from memory; after a reload the wallet is asked for its signature once. */
  serviceKey(): Promise<nacl.SignKeyPair>;
  /** Whether `serviceKey` answers without asking the wallet. */
  hasServiceKey: boolean;
  /** Forgets credentials and key, and disconnects the wallet; also gives up a connection that is under way. */
  signOut(): Promise<void>;
}

const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession outside of SessionProvider");
  return session;
}

/** A session of which all parts are there; only inside of <SessionGate>. */
export function useReadySession(): Session & { wallet: string; credentials: Credentials; serviceWallet: string } {
  const session = useSession();
  const { wallet, credentials, serviceWallet } = session;
  if (!wallet || !credentials || !serviceWallet) throw new Error("useReadySession before the session is ready");
  return { ...session, wallet, credentials, serviceWallet };
}

/** Where the wallet provider remembers which wallet to bring back. */
export const REMEMBERED_WALLET = "walletName";

// The signature is a credential: it lives as long as the tab. The service wallet's address is public.
const authKey = (wallet: string) => `roundup-auth:${wallet}`;
const serviceWalletKey = (wallet: string) => `roundup-service-wallet:${wallet}`;

/** What this browser knows of a wallet. `_version` is what makes it read again. */
function storedOf(wallet: string | null, _version: number) {
  return {
    signature: wallet && sessionStorage.getItem(authKey(wallet)),
    serviceWallet: wallet && localStorage.getItem(serviceWalletKey(wallet)),
  };
}

interface Connection {
  error: Error | null;
  clearError: () => void;
}

/** `connection` is what the wallet provider outside says went wrong; only it hears of that. */
export function SessionProvider({ connection, children }: { connection: Connection; children: ReactNode }) {
  const { publicKey, wallet: chosen, connected, signMessage, select, disconnect } = useWallet();
  const wallet = publicKey?.toBase58() ?? null;
  // Raised when what is stored about this wallet has changed.
  const [version, setVersion] = useState(0);
  const [hasServiceKey, setHasServiceKey] = useState(false);
  const keys = useRef<{ wallet: string; pair: nacl.SignKeyPair } | null>(null);

  // Read while rendering, so that a restored session never shows the steps it has behind it.
  const { signature, serviceWallet } = useMemo(() => storedOf(wallet, version), [wallet, version]);

  const forgetKey = useCallback(() => {
    keys.current?.pair.secretKey.fill(0);
    keys.current = null;
    setHasServiceKey(false);
  }, []);

  // Another account is another session.
  useEffect(() => forgetKey, [wallet, forgetKey]);

  /** A signature that is verified here, so that a wrong account is told from a wrong text. */
  const signText = useCallback(
    async (text: string): Promise<Uint8Array> => {
      if (!publicKey || !signMessage) throw new Error("This wallet cannot sign messages.");
      const message = utf8(text);
      const signed = await signMessage(message);
      const own = signed.length === 64 && nacl.sign.detached.verify(message, signed, publicKey.toBytes());
      if (!own) throw new WrongAccountError();
      return signed;
    },
    [publicKey, signMessage],
  );

  const credentials = useMemo<Credentials | null>(
    () => (wallet && signature ? { "x-wallet": wallet, "x-signature": signature } : null),
    [wallet, signature],
  );

  const signIn = useCallback(async () => {
    if (!wallet) return;
    const { message } = await calls.get<typeof getAuthMessageContract>("/api/auth");
    const encoded = toBase64(await signText(message));
    sessionStorage.setItem(authKey(wallet), encoded);
    setVersion((n) => n + 1);
  }, [wallet, signText]);

  const keep = useCallback((owner: string, keyMaterial: Uint8Array): nacl.SignKeyPair => {
    const seed = serviceWalletSeed(keyMaterial, owner, 0);
    const pair = nacl.sign.keyPair.fromSeed(seed);
    seed.fill(0);
    keys.current = { wallet: owner, pair };
    setHasServiceKey(true);
    return pair;
  }, []);

  const createServiceWallet = useCallback(
    async (onProgress: (signature: 1 | 2) => void = () => {}) => {
      if (!wallet || !credentials) return;
      const { message } = await calls.get<typeof getDerivationMessageContract>("/api/wallet/derive");
      onProgress(1);
      const first = await signText(message);
      onProgress(2);
      const second = await signText(message).catch((error) => {
        first.fill(0);
        throw error;
      });
      try {
        const signature = toBase64(first);
        if (signature !== toBase64(second)) throw new NotDeterministicError();
        const { publicKey: agreed } = await calls.post<typeof deriveWalletContract>(
          "/api/wallet/derive",
          { signature },
          credentials,
        );
        if (agreed !== addressOf(keep(wallet, first))) {
          forgetKey();
          throw new Error("This page and the service derived two different wallets.");
        }
        localStorage.setItem(serviceWalletKey(wallet), agreed);
        setVersion((n) => n + 1);
      } finally {
        first.fill(0);
        second.fill(0);
      }
    },
    [wallet, credentials, signText, keep, forgetKey],
  );

  const askForKey = useCallback(async () => {
    if (!wallet || !serviceWallet) throw new Error("There is no service wallet yet.");
    const { message } = await calls.get<typeof getDerivationMessageContract>("/api/wallet/derive");
    const keyMaterial = await signText(message);
    const pair = keep(wallet, keyMaterial);
    keyMaterial.fill(0);
    if (addressOf(pair) === serviceWallet) return pair;
    forgetKey();
    throw new NotDeterministicError();
  }, [wallet, serviceWallet, signText, keep, forgetKey]);

  // Two callers at once are one request to the wallet.
  const asking = useRef<Promise<nacl.SignKeyPair> | null>(null);
  const serviceKey = useCallback(async () => {
    if (keys.current && keys.current.wallet === wallet) return keys.current.pair;
    asking.current ??= askForKey().finally(() => {
      asking.current = null;
    });
    return asking.current;
  }, [wallet, askForKey]);

  const { error: connectError, clearError } = connection;
  const connect = useCallback(
    (name: string) => {
      clearError();
      select(name as WalletName);
    },
    [select, clearError],
  );

  const signOut = useCallback(async () => {
    if (wallet) sessionStorage.removeItem(authKey(wallet));
    forgetKey();
    clearError();
    await disconnect();
    select(null);
    setVersion((n) => n + 1);
  }, [wallet, disconnect, select, forgetKey, clearError]);

  // A chosen wallet that is not connected is on its way: the provider lets go of one that fails.
  const step: SessionStep = connected ? nextStep(credentials, serviceWallet) : chosen ? "connecting" : "connect";
  const session = useMemo<Session>(
    () => ({
      step,
      connect,
      connectError,
      wallet,
      credentials,
      serviceWallet,
      signIn,
      createServiceWallet,
      serviceKey,
      hasServiceKey,
      signOut,
    }),
    [
      step,
      connect,
      connectError,
      wallet,
      credentials,
      serviceWallet,
      signIn,
      createServiceWallet,
      serviceKey,
      hasServiceKey,
      signOut,
    ],
  );
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

function nextStep(credentials: Credentials | null, serviceWallet: string | null): SessionStep {
  if (!credentials) return "sign-in";
  return serviceWallet ? "ready" : "service-wallet";
}

const addressOf = ({ publicKey }: nacl.SignKeyPair) => bs58.encode(publicKey);
