"use client";

import type { ReactNode } from "react";
import type { StoredPurchaseList } from "@/app/_client/local-storage/purchase-list";
import { Notice } from "@/app/_components/card";
import { DollarField } from "@/app/_components/field";
import { SegmentedControl } from "@/app/_components/segmented-control";
import type { Purchases } from "@/lib/domain/purchases/read-purchases";

const SPENDING_OPTIONS = [
  ["plain", "Without a minus"],
  ["minus", "With a minus"],
] as const;

interface Props {
  purchaseList: Purchases;
  storedList: StoredPurchaseList;
  onChange: (changes: Partial<StoredPurchaseList>) => void;
}

/** Asks what only the person knows about a list. Affected lines stay excluded until the person answers. */
export function ListQuestions({ purchaseList, storedList, onChange }: Props) {
  const { ambiguousAmount, currencies } = purchaseList;
  return (
    <>
      {ambiguousAmount && (
        <Question text={`“${ambiguousAmount.sample}” can be read in two ways. In this list it means`}>
          <SegmentedControl
            label="How decimals are written"
            options={[
              ["comma", ambiguousAmount.comma],
              ["point", ambiguousAmount.point],
            ]}
            value={storedList.decimal ?? null}
            onChange={(decimal) => onChange({ decimal, excludedLines: null })}
          />
        </Question>
      )}
      {purchaseList.hasBothSigns && (
        <Question text="Some amounts have a minus. How are your purchases written?">
          <SegmentedControl
            label="How your purchases are written"
            options={SPENDING_OPTIONS}
            value={purchaseList.spendingSign}
            onChange={(spending) => onChange({ spending, excludedLines: null })}
          />
        </Question>
      )}
      {currencies.length > 0 && (
        <div className="grid gap-4 sm:grid-cols-2">
          {currencies.map(({ currency, count }) => (
            <DollarField
              key={currency}
              label={`1 ${currency} in dollars`}
              hint={`${count} ${count === 1 ? "purchase" : "purchases"} in ${currency}, left out without a rate`}
              placeholder="0.00"
              value={storedList.rates[currency] ?? ""}
              error={
                parseRate(storedList.rates[currency] ?? "") === null ? "Write the rate with digits, like 1.08." : null
              }
              onChange={(text) => onChange({ rates: { ...storedList.rates, [currency]: text } })}
            />
          ))}
        </div>
      )}
      <UnclearLines purchaseList={purchaseList} storedList={storedList} onChange={onChange} />
      <UnreadRows purchaseList={purchaseList} />
    </>
  );
}

/** Asks which number is the amount of each line that has several. */
function UnclearLines({ purchaseList, storedList, onChange }: Props) {
  if (purchaseList.unclearLines.length === 0) return null;
  return (
    <div className="max-h-80 space-y-4 overflow-y-auto">
      {purchaseList.unclearLines.map(({ line, content, candidates }) => (
        <Question key={line} text={`Line ${line}, “${content.slice(0, 80)}”: which number is the amount?`}>
          <SegmentedControl
            label={`Amount of line ${line}`}
            options={candidates.map((candidate) => [candidate, candidate])}
            value={storedList.amountByLine[line] ?? null}
            onChange={(amount) => onChange({ amountByLine: { ...storedList.amountByLine, [line]: amount } })}
          />
        </Question>
      ))}
    </div>
  );
}

/** Parses a typed rate. Returns undefined for an empty field and null for invalid text. */
function parseRate(text: string): number | undefined | null {
  if (text.trim() === "") return undefined;
  if (!/^\d{1,6}([.,]\d{1,8})?$/.test(text.trim())) return null;
  return Number(text.trim().replace(",", ".")) || null;
}

/** Returns the valid rates, USD per unit of each currency. */
export const parseRates = (rates: StoredPurchaseList["rates"]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(rates).flatMap(([currency, text]) => {
      const rate = parseRate(text);
      return rate ? [[currency, rate]] : [];
    }),
  );

function Question({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div>
      <p className="mb-1.5 text-sm font-medium wrap-anywhere">{text}</p>
      {children}
    </div>
  );
}

function UnreadRows({ purchaseList: { unreadRows } }: { purchaseList: Purchases }) {
  if (unreadRows.length === 0) return null;
  return (
    <Notice
      tone="warn"
      title={unreadRows.length === 1 ? "1 row is left out" : `${unreadRows.length} rows are left out`}
    >
      <details>
        <summary className="min-h-6 list-none underline decoration-dotted underline-offset-4 [&::-webkit-details-marker]:hidden">
          Which, and why
        </summary>
        <ul
          aria-label="Rows that are left out"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="mt-2 max-h-48 overflow-y-auto"
        >
          {unreadRows.map(({ line, reason }) => (
            <li key={line}>
              Line {line}: {reason}.
            </li>
          ))}
        </ul>
      </details>
    </Notice>
  );
}
