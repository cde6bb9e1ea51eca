"use client";

import { usePathname } from "next/navigation";
import { useStoredValue } from "@/app/_client/local-storage/stored-value";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { useIsBusyHere } from "@/app/dashboard/_components/tab-flows";
import { getRecordKey, parseRecord } from "@/lib/sdk/flow/record";

/**
 * Each flow's name in storage, its noun, and the pages that show an interrupted run. The first page continues the run.
 */
const FLOWS = [
  ["save", "save", ["/dashboard/round-up", "/dashboard"]],
  ["topup", "top-up", ["/dashboard/round-up", "/dashboard", "/dashboard/invest", "/dashboard/withdraw"]],
  ["invest", "investment", ["/dashboard/invest"]],
  ["sell", "sale", ["/dashboard/invest"]],
  ["withdraw", "withdrawal", ["/dashboard/withdraw"]],
  ["cash-out", "withdrawal", ["/dashboard/withdraw"]],
] as const satisfies readonly (readonly [string, string, readonly string[]])[];

/** Says that a payment was interrupted, and links to the page that continues it. That page shows its own note. */
export function UnfinishedBanner() {
  const { wallet, serviceWallet } = useReadySession();
  const path = usePathname();
  return (
    <div role="status" className="space-y-4 not-empty:mb-4">
      {FLOWS.filter(([, , pages]) => !pages.some((page) => page === path)).map(([name, noun, [page]]) => (
        <UnfinishedNotice
          key={name}
          storageKey={getRecordKey(name, name === "save" || name === "topup" ? wallet : serviceWallet)}
          noun={noun}
          page={page}
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
