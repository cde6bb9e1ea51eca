"use client";

import { usePathname } from "next/navigation";
import { storeValue, useStoredValue } from "@/app/_client/local-storage/stored-value";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import type { NamedNetwork } from "@/lib/domain/signed-texts";

/** Links to a transaction in the chosen explorer. A sandbox transaction links to its page here, except on that page. */
export function ExplorerLink({ label, txSignature }: { label: string; txSignature: string }) {
  const { network } = useReadySession();
  const [explorer] = useExplorer();
  const path = usePathname();
  const href = buildExplorerLink(network, txSignature, explorer);
  if (href === path) return null;
  const linkText = (
    <>
      View<span className="sr-only"> {label}</span>
    </>
  );
  if (href.startsWith("/")) {
    return (
      <ButtonLink href={href} variant="quiet">
        {linkText}
      </ButtonLink>
    );
  }
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className="inline-flex min-h-11 items-center rounded-xl px-4 py-2 font-medium text-accent hover:bg-accent-wash"
    >
      {linkText}
      <span className="sr-only">, in {EXPLORERS[explorer].title}</span>
    </a>
  );
}

/** The explorers by the name that the browser stores: display name, and start of transaction URLs. */
export const EXPLORERS = {
  explorer: { title: "Solana Explorer", transactionUrl: "https://explorer.solana.com/tx/" },
  solscan: { title: "Solscan", transactionUrl: "https://solscan.io/tx/" },
  solanafm: { title: "SolanaFM", transactionUrl: "https://solana.fm/tx/" },
} as const;
export type Explorer = keyof typeof EXPLORERS;

/** Returns the link to a transaction. No explorer sees the sandbox, so this site has a page for its transactions. */
const buildExplorerLink = (network: NamedNetwork, txSignature: string, explorer: Explorer): string =>
  network === "sandbox" ? `/tx/${txSignature}` : EXPLORERS[explorer].transactionUrl + txSignature;

const STORAGE_KEY = "roundup-explorer";

export function useExplorer(): [Explorer, (explorer: Explorer) => void] {
  return [parseExplorer(useStoredValue(STORAGE_KEY)), (explorer) => storeValue(STORAGE_KEY, explorer)];
}

export function parseExplorer(storedText: string | null): Explorer {
  const names = Object.keys(EXPLORERS) as Explorer[];
  return names.find((name) => JSON.stringify(name) === storedText) ?? "explorer";
}
