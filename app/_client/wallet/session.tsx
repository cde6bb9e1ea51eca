"use client";

import type { WalletName } from "@solana/wallet-adapter-base";
import { useWallet } from "@solana/wallet-adapter-react";
import bs58 from "bs58";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import type nacl from "tweetnacl";
import type { NamedNetwork } from "@/lib/domain/signed-texts";
import type { SignInCredentials } from "@/lib/sdk/calls/calls";
import { WrongTextSignedError } from "@/lib/sdk/errors";
import { type CreationOptions, createServiceWallet as deriveServiceWallet } from "@/lib/sdk/sign/service-wallet";
import { signIn as signInWith } from "@/lib/sdk/sign/sign-in";
import type { TextSigner } from "@/lib/sdk/sign/texts";
import { createAppCalls } from "../queries/calls";
import { findOffchainSigner, readSignsOffchain, storeSignsOffchain } from "./offchain-message";
import { runIfRemembered, storeLastWallet, useSessionEnd } from "./session-end";
import { forgetSignIn, readStoredSession, storeServiceWallet, storeSignIn } from "./stored-session";
import { useServiceKey } from "./use-service-key";

/** The steps from no wallet to a ready session. The onboarding explains each one. */
export type SessionStep = "connect" | "connecting" | "sign-in" | "service-wallet" | "ready";

/** How many onboarding steps are done when the session is at a step. */
export const DONE_STEP_COUNTS: Record<SessionStep, number> = {
  connect: 0,
  connecting: 0,
  "sign-in": 1,
  "service-wallet": 2,
  ready: 3,
};

export interface Session {
  step: SessionStep;
  /**
   * Connects an installed wallet by name. Errors appear as `connectError`.
   * @param signsIn whether a wallet with Sign In With Solana signs in at once; default true
   */
  connect(walletName: string, signsIn?: boolean): void;
  /** The error of the last connection attempt, including automatic reconnects and disconnects by the wallet. */
  connectError: Error | null;
  /** The connected wallet's address. */
  wallet: string | null;
  credentials: SignInCredentials | null;
  /** The service wallet's address. Known after the first derivation, and stored across reloads. */
  serviceWallet: string | null;
  /**
   * The network named in the text the service wallet was derived from, never the network the service reports later.
   * Null when `serviceWallet` is null.
   */
  network: NamedNetwork | null;
  /** Whether the connected account signs texts: plain ones, or off-chain messages. */
  canSignTexts: boolean;
  /** The form that the account can sign too, and that is not in use. Null if it signs only one form. */
  otherForm: TextForm | null;
  /** Uses the other form from now on. */
  switchForm(): void;
  /** Asks the wallet for the sign-in signature over the fixed text, and returns the credentials. */
  signIn(): Promise<SignInCredentials>;
  /** Asks the wallet for two derivation signatures, compares them, and registers the public key with the service. */
  createServiceWallet(options?: CreationOptions): Promise<void>;
  /** Returns the service key from memory. After a reload, asks the wallet for one signature first. */
  getServiceKey(): Promise<nacl.SignKeyPair>;
  /** Whether `getServiceKey` returns without asking the wallet. */
  hasServiceKey: boolean;
  /** Forgets credentials and key, and disconnects the wallet. Also cancels a pending connection. */
  signOut(): Promise<void>;
}

/** How this page asks the wallet for a text: `solana:signMessage`, or `solana:signOffchainMessage`. */
type TextForm = "plain" | "offchain";

const SessionContext = createContext<Session | null>(null);

/**
 * Returns the session, whatever its step.
 * @throws {Error} outside of SessionProvider
 */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession outside of SessionProvider");
  return session;
}

type ReadySession = Session & {
  [Name in "wallet" | "credentials" | "serviceWallet" | "network"]: NonNullable<Session[Name]>;
};

/** Returns the session with every part present. Use only inside `<SessionGate>`. */
export function useReadySession(): ReadySession {
  const session = useSession();
  const { wallet, credentials, serviceWallet, network } = session;
  if (!wallet || !credentials || !serviceWallet || !network)
    throw new Error("useReadySession before the session is ready");
  return { ...session, wallet, credentials, serviceWallet, network };
}

interface Connection {
  error: Error | null;
  /** Incremented when a wallet has signed in while connecting. */
  signInCount: number;
  /** Called before a wallet that the person has chosen connects, with null if it does not sign in, and on sign-out. */
  onChoose: (walletName: string | null) => void;
}

/**
 * Provides the session.
 * @param connection connection errors, which only the outer wallet provider receives
 */
export function SessionProvider({ connection, children }: { connection: Connection; children: ReactNode }) {
  const { signer, usesOffchain, ...textForms } = useTextSigner();
  const { forgetIdentity, ...identity } = useIdentity(signer, usesOffchain, connection.signInCount);
  const { chosenWallet, connected, ...walletActions } = useWalletChoice(connection, forgetIdentity);
  useSessionEnd(connected ? (signer?.address ?? null) : null, identity.serviceWallet !== null);
  const session: Session = {
    step: connected ? findStep(identity) : chosenWallet ? "connecting" : "connect",
    connectError: connection.error,
    wallet: signer?.address ?? null,
    ...walletActions,
    ...textForms,
    ...identity,
  };
  // The object is new on each render, so its members, in this fixed order, are the dependencies.
  const stableSession = useMemo(() => session, Object.values(session));
  return <SessionContext.Provider value={stableSession}>{children}</SessionContext.Provider>;
}

/**
 * Returns the connected wallet as a text signer, or null. `signMessage` throws if the wallet cannot sign messages. An
 * account that signs both forms signs plain texts, unless the person has chosen off-chain messages.
 */
function useTextSigner() {
  const { publicKey, signMessage, wallet } = useWallet();
  const adapter = wallet?.adapter;
  const address = publicKey?.toBase58() ?? null;
  const [, setSwitchCount] = useState(0);
  const signsOffchain = address !== null && findOffchainSigner(adapter, address) !== null;
  const usesOffchain = signsOffchain && (!signMessage || readSignsOffchain(address));
  const signer = useMemo<TextSigner | null>(
    () =>
      address === null
        ? null
        : {
            address,
            async signMessage(message) {
              const signOffchain = findOffchainSigner(adapter, address);
              // Read the choice now: a caller may have switched the form since it got this signer.
              const sign = signOffchain && (!signMessage || readSignsOffchain(address)) ? signOffchain : signMessage;
              if (!sign) throw new Error("This wallet cannot sign messages.");
              return runIfRemembered(() => sign(message)).catch(throwOwnError);
            },
          },
    [address, adapter, signMessage],
  );
  const switchForm = useCallback(() => {
    if (address === null) return;
    storeSignsOffchain(address, !usesOffchain);
    setSwitchCount((count) => count + 1);
  }, [address, usesOffchain]);
  const otherForm: TextForm | null = signsOffchain && signMessage ? (usesOffchain ? "plain" : "offchain") : null;
  return { signer, usesOffchain, canSignTexts: signsOffchain || signMessage !== undefined, otherForm, switchForm };
}

/** Throws the error of this page that an adapter's error carries, if any, or the error itself. */
function throwOwnError(error: unknown): never {
  const cause = error instanceof Error && "error" in error ? error.error : null;
  throw cause instanceof WrongTextSignedError ? cause : error;
}

/** Manages the sign-in credentials and the service wallet. */
function useIdentity(signer: TextSigner | null, usesOffchain: boolean, signInCount: number) {
  const wallet = signer?.address ?? null;
  // Incremented when the stored data of this wallet changes.
  const [version, setVersion] = useState(0);
  // Read during render, so that a restored session never flashes a step that is already complete.
  const {
    credentials,
    expiresAt,
    serviceWallet: storedServiceWallet,
  } = useMemo(() => readStoredSession(wallet, version + signInCount), [wallet, version, signInCount]);
  useEffect(() => {
    if (expiresAt === null) return;
    const timer = setTimeout(() => setVersion((count) => count + 1), expiresAt - Date.now());
    return () => clearTimeout(timer);
  }, [expiresAt]);
  const serviceWallet = storedServiceWallet?.address ?? null;
  const network = storedServiceWallet?.network ?? null;
  const { storeKey, dropKey, ...keyAccess } = useServiceKey(signer, serviceWallet);

  const signIn = useCallback(async () => {
    if (!signer) throw new Error("signIn without a connected wallet");
    const credentials = await signInWith(createAppCalls(null), signer);
    storeSignIn(credentials);
    setVersion((count) => count + 1);
    return credentials;
  }, [signer]);

  const createServiceWallet = useCallback(
    async (options?: CreationOptions) => {
      if (!signer || !credentials) return;
      const calls = createAppCalls(credentials);
      const { keys, network: namedNetwork } = await deriveServiceWallet(calls, signer, options);
      storeKey(signer.address, keys);
      storeSignsOffchain(signer.address, usesOffchain);
      storeServiceWallet(signer.address, { address: bs58.encode(keys.publicKey), network: namedNetwork });
      setVersion((count) => count + 1);
    },
    [signer, usesOffchain, credentials, storeKey],
  );

  const forgetIdentity = useCallback(() => {
    if (wallet) forgetSignIn(wallet);
    dropKey();
  }, [wallet, dropKey]);

  return { credentials, serviceWallet, network, signIn, createServiceWallet, ...keyAccess, forgetIdentity };
}

/**
 * Lets the person choose and leave a wallet. A chosen wallet that is not connected yet is still connecting, because the
 * provider deselects a wallet that fails.
 */
function useWalletChoice({ onChoose }: Connection, forgetIdentity: () => void) {
  const { wallet: chosenWallet, connected, select, disconnect } = useWallet();
  const chosenName = chosenWallet?.adapter.name;
  useEffect(() => {
    if (connected && chosenName) storeLastWallet(chosenName);
  }, [connected, chosenName]);
  const connect = useCallback(
    (name: string, signsIn = true) => {
      onChoose(signsIn ? name : null);
      select(name as WalletName);
    },
    [select, onChoose],
  );
  const signOut = useCallback(async () => {
    forgetIdentity();
    onChoose(null);
    await disconnect();
    select(null);
  }, [disconnect, select, forgetIdentity, onChoose]);
  return { chosenWallet, connected, connect, signOut };
}

/** Returns the step of a session whose wallet is connected. */
function findStep({ credentials, serviceWallet }: Pick<Session, "credentials" | "serviceWallet">): SessionStep {
  if (!credentials) return "sign-in";
  return serviceWallet ? "ready" : "service-wallet";
}
