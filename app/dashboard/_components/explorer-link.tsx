"use client";

import { usePathname } from "next/navigation";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { buildExplorerLink, EXPLORERS, useExplorer } from "./explorer";

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
