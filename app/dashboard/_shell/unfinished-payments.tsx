"use client";

import { usePathname } from "next/navigation";
import { useSyncExternalStore } from "react";
import { browserStore, subscribeToStorageProblem } from "@/app/_client/local-storage/browser-storage";
import { useStoredValue } from "@/app/_client/local-storage/stored-value";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { useIsBusyHere } from "@/app/dashboard/_components/tab-flows";
import { getRecordKey, parseRecord } from "@/lib/sdk/flow/record";

interface PaymentKind {
  name: string;
  noun: string;
  /** Whether it is the main wallet's payment. Default: the savings wallet's. */
  isMainWallet?: true;
  /** The page that continues an interrupted payment, then other pages that show it. */
  pages: readonly [string, ...string[]];
}

const PAYMENT_KINDS: readonly PaymentKind[] = [
  { name: "save", noun: "save", isMainWallet: true, pages: ["/dashboard/round-up", "/dashboard"] },
  {
    name: "topup",
    noun: "top-up",
    isMainWallet: true,
    pages: ["/dashboard/round-up", "/dashboard", "/dashboard/invest", "/dashboard/withdraw"],
  },
  { name: "allowance", noun: "allowance", isMainWallet: true, pages: ["/dashboard/settings"] },
  { name: "revocation", noun: "end of the allowance", isMainWallet: true, pages: ["/dashboard/settings"] },
  { name: "sell", noun: "sale", isMainWallet: true, pages: ["/dashboard/settings"] },
  { name: "invest", noun: "investment", pages: ["/dashboard/invest"] },
  { name: "sell", noun: "sale", pages: ["/dashboard/invest"] },
  { name: "withdraw", noun: "withdrawal", pages: ["/dashboard/withdraw"] },
  { name: "cash-out", noun: "withdrawal", pages: ["/dashboard/withdraw"] },
];

/** Lists the kinds of payments with the storage key under which this session's wallets keep an unfinished one. */
function useStoredPayments(): (PaymentKind & { storageKey: string })[] {
  const { wallet, serviceWallet } = useReadySession();
  return PAYMENT_KINDS.map((kind) => ({
    ...kind,
    storageKey: getRecordKey(kind.name, kind.isMainWallet ? wallet : serviceWallet),
  }));
}

/** Says which payments may have been sent or are not finished, for a page that cannot show their own notes. */
export function UnfinishedPayments() {
  return useStoredPayments().map((payment) => <UnfinishedPayment key={payment.storageKey} {...payment} />);
}

function UnfinishedPayment({ storageKey, noun }: { storageKey: string; noun: string }) {
  const record = parseRecord(useStoredValue(storageKey));
  const readIsStored = () => browserStore.isStored(storageKey);
  const isStored = useSyncExternalStore(subscribeToStorageProblem, readIsStored, () => true);
  return record && <p className="font-medium">{describeUnfinished(noun, record.inFlight !== null, isStored)}</p>;
}

/** Says what is certain about an unfinished payment. @param isStored whether its record outlasts the page */
export function describeUnfinished(noun: string, isInFlight: boolean, isStored: boolean): string {
  const fact = isInFlight ? `Your ${noun} may have been sent.` : `Your ${noun} is not finished.`;
  if (!isStored)
    return `${fact} This browser does not store it: a reload forgets it, so see Activity before you repeat it.`;
  return isInFlight
    ? `${fact} It is stored here, and you never pay it twice.`
    : `${fact} What is left of it is stored here.`;
}

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
