"use client";

import { useCallback, useEffect, useState } from "react";
import type { KeyPair } from "@/lib/sdk/sign/key-pair";
import { openServiceWallet } from "@/lib/sdk/sign/service-wallet";
import type { TextSigner } from "@/lib/sdk/sign/texts";
import { calls } from "../queries/calls";
import { createKeyMemory } from "./key-memory";

/** Provides the service key from this page's memory. Switching accounts drops the key. */
export function useServiceKey(signer: TextSigner | null, serviceWallet: string | null) {
  const [memory] = useState(createKeyMemory);
  const [hasServiceKey, setHasServiceKey] = useState(false);
  const wallet = signer?.address ?? null;

  const storeKey = useCallback(
    (address: string, keys: KeyPair) => setHasServiceKey(memory.storeKey(address, keys)),
    [memory],
  );
  const dropKey = useCallback(() => {
    memory.dropKey();
    setHasServiceKey(false);
  }, [memory]);
  useEffect(() => {
    memory.setWallet(wallet);
    return () => {
      memory.setWallet(null);
      setHasServiceKey(false);
    };
  }, [memory, wallet]);

  const getServiceKey = useCallback(async () => {
    if (!signer || !serviceWallet) throw new RangeError("There is no service wallet yet.");
    const keys = await memory.getOrRequestKey(signer.address, () => openServiceWallet(calls, signer, serviceWallet));
    setHasServiceKey(true);
    return keys;
  }, [memory, signer, serviceWallet]);

  return { storeKey, dropKey, getServiceKey, hasServiceKey };
}
