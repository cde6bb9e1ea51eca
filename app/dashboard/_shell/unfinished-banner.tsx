"use client";

import { usePathname } from "next/navigation";
import { useStoredValue } from "@/app/_client/local-storage/stored-value";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { useIsBusyHere } from "@/app/dashboard/_components/tab-flows";
import { getRecordKey, parseRecord } from "@/lib/sdk/flow/record";

interface InterruptibleFlow {
  /** The flow's name in storage. */
  name: string;
  noun: string;
  /** The page that continues an interrupted run, then other pages that show it. */
  pages: readonly [string, ...string[]];
}

const FLOWS: readonly InterruptibleFlow[] = [
  { name: "save", noun: "save", pages: ["/dashboard/round-up", "/dashboard"] },
  {
    name: "topup",
    noun: "top-up",
    pages: ["/dashboard/round-up", "/dashboard", "/dashboard/invest", "/dashboard/withdraw"],
  },
  { name: "invest", noun: "investment", pages: ["/dashboard/invest"] },
  { name: "sell", noun: "sale", pages: ["/dashboard/invest"] },
  { name: "withdraw", noun: "withdrawal", pages: ["/dashboard/withdraw"] },
  { name: "cash-out", noun: "withdrawal", pages: ["/dashboard/withdraw"] },
];

/** Says that a payment was interrupted, and links to the page that continues it. That page shows its own note. */
export function UnfinishedBanner() {
  const { wallet, serviceWallet } = useReadySession();
  const path = usePathname();
  return (
    <div role="status" className="space-y-4 not-empty:mb-4">
      {FLOWS.filter(({ pages }) => !pages.includes(path)).map(({ name, noun, pages }) => (
        <UnfinishedNotice
          key={name}
          // A record is stored under the wallet that signs.
          storageKey={getRecordKey(name, name === "save" || name === "topup" ? wallet : serviceWallet)}
          noun={noun}
          page={pages[0]}
        />
      ))}
    </div>
  );
}

function UnfinishedNotice({ storageKey, noun, page }: { storageKey: string; noun: string; page: string }) {
  const record = parseRecord(useStoredValue(storageKey));
  const isBusyHere = useIsBusyHere(storageKey);
  if (!record || isBusyHere) return null;
  return (
    <Notice
      tone="warn"
      title={record.inFlight ? `Your ${noun} may have been sent` : `Your ${noun} is not finished`}
      action={
        <ButtonLink href={page} variant="secondary">
          {record.inFlight ? "Check now" : "Continue"}
        </ButtonLink>
      }
    />
  );
}
