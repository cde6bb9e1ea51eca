"use client";

import { useCallback, useEffect, useState } from "react";
import type { KeyPair } from "@/lib/sdk/sign/key-pair";
import { openServiceWallet } from "@/lib/sdk/sign/service-wallet";
import type { TextSigner } from "@/lib/sdk/sign/texts";
import { createAppCalls } from "../queries/calls";
import { runIfRemembered } from "./session-end";

export type KeyMemory = ReturnType<typeof createKeyMemory>;

/** Keeps the connected wallet's service key in this page, and zeroes it when dropped. */
export function createKeyMemory() {
  let connectedWallet: string | null = null;
  let storedKeyPair: KeyPair | null = null;
  let pendingRequest: { wallet: string; keyPairPromise: Promise<KeyPair> } | null = null;

  const dropKey = () => {
    storedKeyPair?.secretKey.fill(0);
    storedKeyPair = null;
  };
  /** Zeroes the key of another than the connected wallet. @returns whether it was stored */
  const storeKey = (wallet: string, keyPair: KeyPair): boolean => {
    if (wallet === connectedWallet) storedKeyPair = keyPair;
    else keyPair.secretKey.fill(0);
    return wallet === connectedWallet;
  };
  const requestKey = (wallet: string, askWallet: () => Promise<KeyPair>) => {
    const keyPairPromise = askWallet().finally(() => {
      if (pendingRequest?.keyPairPromise === keyPairPromise) pendingRequest = null;
    });
    pendingRequest = { wallet, keyPairPromise };
    return keyPairPromise;
  };

  return {
    setWallet(wallet: string | null): void {
      if (wallet !== connectedWallet) dropKey();
      connectedWallet = wallet;
    },
    storeKey,
    dropKey,
    /** Returns the stored key, or asks once for all callers. @throws {Error} also when the wallet has changed since */
    async getOrRequestKey(wallet: string, askWallet: () => Promise<KeyPair>): Promise<KeyPair> {
      if (storedKeyPair && wallet === connectedWallet) return storedKeyPair;
      const isRequested = pendingRequest?.wallet === wallet;
      const keyPair = await (isRequested ? pendingRequest!.keyPairPromise : requestKey(wallet, askWallet));
      if (storeKey(wallet, keyPair)) return keyPair;
      // The name decides which text the page shows (wallet-errors.ts).
      throw Object.assign(new Error("The connected wallet changed before the first wallet answered."), {
        name: "WalletDisconnectedError",
      });
    },
  };
}

/** Keeps the service key in memory until the account changes. `getServiceKey` asks the wallet without one. */
export function useServiceKey(signer: TextSigner | null, serviceWallet: string | null) {
  const [keyMemory] = useState(createKeyMemory);
  const [hasServiceKey, setHasServiceKey] = useState(false);
  const signerAddress = signer?.address ?? null;

  const storeKey = useCallback(
    (address: string, keyPair: KeyPair) => setHasServiceKey(keyMemory.storeKey(address, keyPair)),
    [keyMemory],
  );
  const dropKey = useCallback(() => {
    keyMemory.dropKey();
    setHasServiceKey(false);
  }, [keyMemory]);
  useEffect(() => {
    keyMemory.setWallet(signerAddress);
    return () => {
      keyMemory.setWallet(null);
      setHasServiceKey(false);
    };
  }, [keyMemory, signerAddress]);

  const getServiceKey = useCallback(async () => {
    if (!signer || !serviceWallet) throw new RangeError("There is no savings wallet yet.");
    const keyPair = await runIfRemembered(() =>
      keyMemory.getOrRequestKey(signer.address, () => openServiceWallet(createAppCalls(null), signer, serviceWallet)),
    );
    setHasServiceKey(true);
    return keyPair;
  }, [keyMemory, signer, serviceWallet]);

  return { storeKey, dropKey, getServiceKey, hasServiceKey };
}
