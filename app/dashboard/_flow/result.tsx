"use client";

import type { ReactNode } from "react";
import { ButtonLink, QuietButton } from "@/app/_components/button";
import { CheckMark } from "@/app/_components/check-mark";
import { CopyButton } from "@/app/_components/copy-button";
import { Fold } from "@/app/_components/fold";
import { ShortAddress } from "@/app/_components/short-address";
import { ExplorerLink } from "@/app/dashboard/_components/explorer-link";

export interface Receipt {
  /** Name of the event, as in the activity list. */
  label: string;
  txSignature: string;
}

const MAX_UNFOLDED_RECEIPTS = 3;

export const toReceipts = (label: string, done: { txSignature: string }[] = []): Receipt[] =>
  done.map(({ txSignature }) => ({ label, txSignature }));

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
export function DoneActions({ onClose, children = <SavingsLink /> }: DoneActionsProps) {
  return (
    <SheetFoot>
      <div className="flex flex-wrap gap-3">
        {children}
        <QuietButton onClick={onClose}>Close</QuietButton>
      </div>
    </SheetFoot>
  );
}

/** Shows a landed amount, dollars first, with a ring that closes around a tick. */
export function Success({ amount, children }: { amount: ReactNode; children: ReactNode }) {
  return (
    <div className="text-center" data-testid="success">
      <span aria-hidden="true" className="relative mx-auto grid size-24 place-items-center text-accent">
        <svg viewBox="0 0 100 100" aria-hidden="true" className="absolute inset-0 -rotate-90 fill-none stroke-[6]">
          <circle cx="50" cy="50" r="44" className="stroke-accent-wash" />
          <circle cx="50" cy="50" r="44" pathLength={1} strokeLinecap="round" className="ring-closes stroke-accent" />
        </svg>
        <span className="ring-tick scale-200">
          <CheckMark />
        </span>
      </span>
      <p className="mt-4 text-4xl font-semibold tracking-tight tabular-nums">{amount}</p>
      <div className="mx-auto mt-1 max-w-sm text-balance text-soft">{children}</div>
    </div>
  );
}

export const SavingsLink = () => <ButtonLink href="/dashboard">See my savings</ButtonLink>;

interface ResultProps extends DoneActionsProps {
  receipts: Receipt[];
  nextAction?: ReactNode;
}

export const FlowResult = ({ receipts, onClose, nextAction, children }: ResultProps) => (
  <div className="space-y-5">
    {children}
    <ReceiptList receipts={receipts} />
    <DoneActions onClose={onClose}>{nextAction}</DoneActions>
  </div>
);

/** Keeps a sheet's actions in view while its content scrolls. It must be the last element of the content. */
export function SheetFoot({ children }: { children: ReactNode }) {
  return (
    <div className="sticky -bottom-5 -mx-5 mt-5 -mb-5 border-t border-line bg-card px-5 py-4 sm:-bottom-7 sm:-mx-7 sm:-mb-7 sm:px-7">
      {children}
    </div>
  );
}
