"use client";

import { storeValue, useStoredValue } from "@/app/_client/local-storage/stored-value";
import type { NamedNetwork } from "@/lib/domain/signed-texts";

/** The explorers by the name that the browser stores: display name, and start of transaction URLs. */
export const EXPLORERS = {
  explorer: { title: "Solana Explorer", transactionUrl: "https://explorer.solana.com/tx/" },
  solscan: { title: "Solscan", transactionUrl: "https://solscan.io/tx/" },
  solanafm: { title: "SolanaFM", transactionUrl: "https://solana.fm/tx/" },
} as const;
export type Explorer = keyof typeof EXPLORERS;

/**
 * Returns the link to a transaction. No explorer sees the sandbox, so sandbox transactions link to a page of this site.
 */
export const buildExplorerLink = (network: NamedNetwork, txSignature: string, explorer: Explorer): string =>
  network === "sandbox" ? `/tx/${txSignature}` : EXPLORERS[explorer].transactionUrl + txSignature;

const STORAGE_KEY = "roundup-explorer";

/** Returns the explorer chosen in this browser, and a setter. */
export function useExplorer(): [Explorer, (explorer: Explorer) => void] {
  return [parseExplorer(useStoredValue(STORAGE_KEY)), (explorer) => storeValue(STORAGE_KEY, explorer)];
}

/** Parses the stored explorer. Falls back to the default for any other value. */
export function parseExplorer(storedText: string | null): Explorer {
  const names = Object.keys(EXPLORERS) as Explorer[];
  return names.find((name) => JSON.stringify(name) === storedText) ?? "explorer";
}
