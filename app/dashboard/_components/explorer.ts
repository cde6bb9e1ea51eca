"use client";

import { storeValue, useStoredValue } from "@/app/_client/local-storage/stored-value";
import type { NamedNetwork } from "@/lib/domain/texts";

/** Names, and what stands before a signature. */
export const EXPLORERS = {
  explorer: ["Solana Explorer", "https://explorer.solana.com/tx/"],
  solscan: ["Solscan", "https://solscan.io/tx/"],
  solanafm: ["SolanaFM", "https://solana.fm/tx/"],
} as const;
export type Explorer = keyof typeof EXPLORERS;

/** Where a transaction can be looked at: no explorer sees the sandbox, so that has a page of its own. */
export const explorerLink = (network: NamedNetwork, txSignature: string, explorer: Explorer): string =>
  network === "sandbox" ? `/tx/${txSignature}` : EXPLORERS[explorer][1] + txSignature;

const KEY = "roundup-explorer";

/** The chosen explorer, for all wallets of this browser. */
export function useExplorer(): [Explorer, (next: Explorer) => void] {
  return [readExplorer(useStoredValue(KEY)), (next) => storeValue(KEY, next)];
}

/** What was kept may be anything. */
export function readExplorer(kept: string | null): Explorer {
  const names = Object.keys(EXPLORERS) as Explorer[];
  return names.find((name) => JSON.stringify(name) === kept) ?? "explorer";
}
