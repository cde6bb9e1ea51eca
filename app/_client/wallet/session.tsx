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
import { useServiceKey } from "./key-memory";
import { findOffchainSigner, readSignsOffchain, storeSignsOffchain } from "./offchain-message";
import { runIfRemembered, storeLastWallet, useSessionEnd } from "./session-end";
import { forgetSignIn, readStoredSession, storeServiceWallet, storeSignIn } from "./stored-session";

/** From no wallet to a ready session. */
export type SessionStep = "connect" | "connecting" | "sign-in" | "service-wallet" | "ready";

export const DONE_STEP_COUNTS: Record<SessionStep, number> = {
  connect: 0,
  connecting: 0,
  "sign-in": 1,
  "service-wallet": 2,
  ready: 3,
};

export interface Session {
  step: SessionStep;
  /** Connects an installed wallet, and signs in if it has Sign In With Solana and `signsIn`. Errors: `connectError`. */
  connect(walletName: string, signsIn?: boolean): void;
  /** The error of the last connection attempt, reconnects and disconnects by the wallet included. */
  connectError: Error | null;
  wallet: string | null;
  credentials: SignInCredentials | null;
  /** Known after the first derivation, and stored. */
  serviceWallet: string | null;
  /** As named in the text from which the service wallet was derived, never as the service reports it. */
  network: NamedNetwork | null;
  canSignTexts: boolean;
  /** The form that the account can sign too. */
  otherForm: TextForm | null;
  switchForm(): void;
  signIn(): Promise<SignInCredentials>;
  /** Compares two derivation signatures, and registers the public key with the service. */
  createServiceWallet(options?: CreationOptions): Promise<void>;
  /** After a reload, asks the wallet for one signature. */
  getServiceKey(): Promise<nacl.SignKeyPair>;
  /** Whether `getServiceKey` asks no wallet. */
  hasServiceKey: boolean;
  /** Forgets credentials and key, and disconnects. Also cancels a pending connection. */
  signOut(): Promise<void>;
}

/** `solana:signMessage`, or `solana:signOffchainMessage`. */
type TextForm = "plain" | "offchain";

const SessionContext = createContext<Session | null>(null);

/** @throws {Error} outside of SessionProvider */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession outside of SessionProvider");
  return session;
}

type ReadySession = Session & {
  [Name in "wallet" | "credentials" | "serviceWallet" | "network"]: NonNullable<Session[Name]>;
};

/** Returns a complete session. Use only inside `<SessionGate>`. */
export function useReadySession(): ReadySession {
  const session = useSession();
  const { wallet, credentials, serviceWallet, network } = session;
  if (!wallet || !credentials || !serviceWallet || !network)
    throw new Error("useReadySession before the session is ready");
  return { ...session, wallet, credentials, serviceWallet, network };
}

interface Connection {
  error: Error | null;
  /** Counts the wallets that signed in while connecting. */
  signInCount: number;
  /** Called before a chosen wallet connects, with null if it does not sign in, and on sign-out. */
  onChoose: (walletName: string | null) => void;
}

/** @param connection connection errors, which only the outer wallet provider receives */
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

/** Returns the wallet as a text signer. It signs plain texts if it can, unless the person has chosen off-chain ones. */
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

/** Throws this page's error that an adapter's error carries, or the error itself. */
function throwOwnError(error: unknown): never {
  const cause = error instanceof Error && "error" in error ? error.error : null;
  throw cause instanceof WrongTextSignedError ? cause : error;
}

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

/** A chosen wallet that is not connected is connecting, because the provider deselects a wallet that fails. */
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

function findStep({ credentials, serviceWallet }: Pick<Session, "credentials" | "serviceWallet">): SessionStep {
  if (!credentials) return "sign-in";
  return serviceWallet ? "ready" : "service-wallet";
}
