"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type nacl from "tweetnacl";
import { openServiceWallet } from "@/lib/sdk/sign/service-wallet";
import type { TextSigner } from "@/lib/sdk/sign/texts";
import { calls } from "../reads/calls";

/** The service key, in this page's memory and nowhere else; another account, and it is gone. */
export function useServiceKey(owner: TextSigner | null, serviceWallet: string | null) {
  const held = useRef<{ wallet: string; keys: nacl.SignKeyPair } | null>(null);
  const [hasServiceKey, setHasServiceKey] = useState(false);
  const wallet = owner?.address ?? null;

  const hold = useCallback((of: string, keys: nacl.SignKeyPair) => {
    held.current = { wallet: of, keys };
    setHasServiceKey(true);
  }, []);
  const forget = useCallback(() => {
    held.current?.keys.secretKey.fill(0);
    held.current = null;
    setHasServiceKey(false);
  }, []);
  // Another account is another session.
  useEffect(() => forget, [wallet, forget]);

  // Two callers at once are one request to the wallet.
  const asking = useRef<Promise<nacl.SignKeyPair> | null>(null);
  const serviceKey = useCallback(async () => {
    if (held.current && held.current.wallet === owner?.address) return held.current.keys;
    if (!owner || !serviceWallet) throw new RangeError("There is no service wallet yet.");
    asking.current ??= openServiceWallet(calls, owner, serviceWallet).finally(() => {
      asking.current = null;
    });
    const keys = await asking.current;
    hold(owner.address, keys);
    return keys;
  }, [owner, serviceWallet, hold]);

  return { hold, forget, serviceKey, hasServiceKey };
}
