"use client";

import { usePathname } from "next/navigation";
import { useStoredValue } from "@/app/_client/local-storage/stored-value";
import { ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { useIsBusyHere } from "@/app/dashboard/_components/tab-flows";
import { parseRecord } from "@/lib/sdk/flow/record";
import { useStoredPayments } from "./unfinished-payments";

/** Says that a payment was interrupted, and links to the page that continues it. That page shows its own note. */
export function UnfinishedBanner() {
  const path = usePathname();
  const payments = useStoredPayments().filter(({ pages }) => !pages.includes(path));
  return (
    <div role="status" className="space-y-4 not-empty:mb-4">
      {payments.map(({ storageKey, noun, pages }) => (
        <UnfinishedNotice key={storageKey} storageKey={storageKey} noun={noun} page={pages[0]} />
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
