"use client";

import type { ReactNode } from "react";
import { Button, ButtonLink } from "@/app/_components/button";
import { CopyButton } from "@/app/_components/copy-button";
import { Fold } from "@/app/_components/fold";
import { ShortAddress } from "@/app/_components/short-address";
import { ExplorerLink } from "@/app/dashboard/_components/explorer-link";
import { SheetFoot } from "./sheet-foot";

export interface Receipt {
  /** Name of the event, as in the activity list. */
  label: string;
  txSignature: string;
}

/** The most receipts that are shown without a fold. */
const MAX_UNFOLDED_RECEIPTS = 3;

/** Lists a link to each transaction. A long list is folded. */
export function ReceiptList({ receipts }: { receipts: Receipt[] }) {
  const receiptList = (
    <ul className="divide-y divide-line rounded-xl border border-line px-4">
      {receipts.map(({ label, txSignature }) => (
        <li key={txSignature} className="flex items-center justify-between gap-3 py-2 text-sm">
          <p className="min-w-0">
            <span className="block">{label}</span>
            <span className="text-soft">
              Signature <ShortAddress text={txSignature} />
            </span>
          </p>
          <span className="flex shrink-0 gap-1">
            <ExplorerLink label={label} txSignature={txSignature} />
            <CopyButton text={txSignature} ariaLabel={`Copy the signature of: ${label}`} />
          </span>
        </li>
      ))}
    </ul>
  );
  if (receipts.length <= MAX_UNFOLDED_RECEIPTS) return receiptList;
  return (
    <Fold title={`${receipts.length} transactions`}>
      <div className="mt-2">{receiptList}</div>
    </Fold>
  );
}

interface DoneActionsProps {
  onClose: () => void;
  /** The next action. Defaults to a link to the savings. */
  children?: ReactNode;
}

/** Shows the actions after a completed flow. Must be the last element of the sheet. */
export function DoneActions({
  onClose,
  children = <ButtonLink href="/dashboard">See my savings</ButtonLink>,
}: DoneActionsProps) {
  return (
    <SheetFoot>
      <div className="flex flex-wrap gap-3">
        {children}
        <Button variant="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
    </SheetFoot>
  );
}
