"use client";

import type { WalletName } from "@solana/wallet-adapter-base";
import { useWallet } from "@solana/wallet-adapter-react";
import bs58 from "bs58";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import type nacl from "tweetnacl";
import type { NamedNetwork } from "@/lib/domain/texts";
import type { Credentials } from "@/lib/sdk/calls/calls";
import { createServiceWallet as deriveServiceWallet } from "@/lib/sdk/sign/service-wallet";
import { signIn as signInWith } from "@/lib/sdk/sign/sign-in";
import type { TextSigner } from "@/lib/sdk/sign/texts";
import { callsOf } from "../queries/calls";
import { forgetSignature, storedOf, storeServiceWallet, storeSignature } from "./stored";
import { useServiceKey } from "./use-service-key";

/** Where a person stands. Each step has its own words in the onboarding. */
export type SessionStep = "connect" | "connecting" | "sign-in" | "service-wallet" | "ready";

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
  /** Of the text that the service wallet was derived from, never what the service says later; null as `serviceWallet`. */
  network: NamedNetwork | null;
  /** Asks the wallet for the sign-in signature. */
  signIn(): Promise<void>;
  /** Asks the wallet twice for the derivation signature, compares, and makes the public key known to the service. */
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

type ReadySession = Session & {
  wallet: string;
  credentials: Credentials;
  serviceWallet: string;
  network: NamedNetwork;
};

/** A session of which all parts are there; only inside of <SessionGate>. */
export function useReadySession(): ReadySession {
  const session = useSession();
  const { wallet, credentials, serviceWallet, network } = session;
  if (!wallet || !credentials || !serviceWallet || !network)
    throw new Error("useReadySession before the session is ready");
  return { ...session, wallet, credentials, serviceWallet, network };
}

/** Where the wallet provider remembers which wallet to bring back. */
export const REMEMBERED_WALLET = "walletName";

interface Connection {
  error: Error | null;
  clearError: () => void;
}

/** `connection` is what the wallet provider outside says went wrong; only it hears of that. */
export function SessionProvider({ connection, children }: { connection: Connection; children: ReactNode }) {
  const owner = useOwner();
  const identity = useIdentity(owner);
  const way = useWayInAndOut(connection, identity.forget);
  const step = way.connected ? nextStep(identity) : way.chosen ? "connecting" : "connect";
  const { connect, signOut } = way;
  const { error: connectError } = connection;
  const { credentials, serviceWallet, network, signIn, createServiceWallet, serviceKey, hasServiceKey } = identity;
  const wallet = owner?.address ?? null;
  const session = useMemo<Session>(
    () => ({
      step,
      connect,
      connectError,
      wallet,
      credentials,
      serviceWallet,
      network,
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
      network,
      signIn,
      createServiceWallet,
      serviceKey,
      hasServiceKey,
      signOut,
    ],
  );
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

/** The connected wallet as one that signs texts; null while there is none. */
function useOwner(): TextSigner | null {
  const { publicKey, signMessage } = useWallet();
  const address = publicKey?.toBase58() ?? null;
  return useMemo(
    () =>
      address === null
        ? null
        : {
            address,
            async signMessage(message) {
              if (!signMessage) throw new Error("This wallet cannot sign messages.");
              return signMessage(message);
            },
          },
    [address, signMessage],
  );
}

/** Who is signed in, and the service wallet. */
function useIdentity(owner: TextSigner | null) {
  const wallet = owner?.address ?? null;
  // Raised when what is stored about this wallet has changed.
  const [version, setVersion] = useState(0);
  // Read while rendering, so that a restored session never shows the steps it has behind it.
  const { credentials, serviceWallet: stored } = useMemo(() => storedOf(wallet, version), [wallet, version]);
  const serviceWallet = stored?.address ?? null;
  const network = stored?.network ?? null;
  const key = useServiceKey(owner, serviceWallet);

  const signIn = useCallback(async () => {
    if (!owner) return;
    const signed = await signInWith(callsOf(null), owner);
    storeSignature(owner.address, signed["x-signature"]);
    setVersion((n) => n + 1);
  }, [owner]);

  const { hold, forget: forgetKey } = key;
  const createServiceWallet = useCallback(
    async (onProgress?: (signature: 1 | 2) => void) => {
      if (!owner || !credentials) return;
      const { keys, network: named } = await deriveServiceWallet(callsOf(credentials), owner, { onProgress });
      hold(owner.address, keys);
      storeServiceWallet(owner.address, { address: bs58.encode(keys.publicKey), network: named });
      setVersion((n) => n + 1);
    },
    [owner, credentials, hold],
  );

  const forget = useCallback(() => {
    if (wallet) forgetSignature(wallet);
    forgetKey();
  }, [wallet, forgetKey]);

  return { ...key, credentials, serviceWallet, network, signIn, createServiceWallet, forget };
}

/** Choosing a wallet and leaving it. A chosen one that is not connected is on its way: the provider lets go of one that fails. */
function useWayInAndOut({ clearError }: Connection, forget: () => void) {
  const { wallet: chosen, connected, select, disconnect } = useWallet();
  const connect = useCallback(
    (name: string) => {
      clearError();
      select(name as WalletName);
    },
    [select, clearError],
  );
  const signOut = useCallback(async () => {
    forget();
    clearError();
    await disconnect();
    select(null);
  }, [disconnect, select, forget, clearError]);
  return { chosen, connected, connect, signOut };
}

function nextStep({ credentials, serviceWallet }: Pick<Session, "credentials" | "serviceWallet">): SessionStep {
  if (!credentials) return "sign-in";
  return serviceWallet ? "ready" : "service-wallet";
}
