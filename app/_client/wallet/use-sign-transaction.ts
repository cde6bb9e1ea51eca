"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import { VersionedTransaction } from "@solana/web3.js";
import { useCallback } from "react";
import type { SignTransaction } from "@/lib/sdk/flow/types";
import { fromBase64, toBase64 } from "@/lib/solana/bytes";
import { runIfRemembered } from "./session-end";

/** Takes and returns base64. Throws if the wallet cannot sign, the user declines, or the text is not base64. */
export function useSignTransaction(): SignTransaction {
  const { signTransaction } = useWallet();
  return useCallback(
    async (transaction) => {
      const bytes = fromBase64(transaction);
      if (!signTransaction || !bytes) throw new Error("This wallet cannot sign that transaction.");
      const unsigned = VersionedTransaction.deserialize(bytes);
      return toBase64((await runIfRemembered(() => signTransaction(unsigned))).serialize());
    },
    [signTransaction],
  );
}
