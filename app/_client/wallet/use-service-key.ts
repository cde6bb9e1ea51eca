"use client";

import { useCallback, useEffect, useState } from "react";
import type { KeyPair } from "@/lib/sdk/sign/key-pair";
import { openServiceWallet } from "@/lib/sdk/sign/service-wallet";
import type { TextSigner } from "@/lib/sdk/sign/texts";
import { createAppCalls } from "../queries/calls";
import { createKeyMemory } from "./key-memory";
import { runIfRemembered } from "./session-end";

/**
 * Provides the service key from this page's memory. Switching accounts drops the key. `getServiceKey` asks the wallet
 * when the memory has no key.
 */
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
