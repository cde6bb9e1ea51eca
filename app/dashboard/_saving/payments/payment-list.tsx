import { formatUsd, UsdAmount } from "@/app/_components/money";
import { ShortAddress } from "@/app/_components/short-address";
import { formatTime } from "@/app/dashboard/_components/activity-words";
import { SMALL_PAYMENT_USD } from "@/lib/domain/spending/batches";
import type { UnsavedPayment } from "./next-save";

interface Props {
  payments: UnsavedPayment[];
  leftOutSignatures: ReadonlySet<string>;
  togglePayment: (txSignature: string) => void;
}

/** Lists each payment with its change, in a list that scrolls. An unticked payment is skipped permanently. */
export function PaymentList({ payments, leftOutSignatures, togglePayment }: Props) {
  return (
    <>
      <ul className="scroll-cue mt-2 max-h-96 divide-y divide-line overflow-y-auto py-1 pr-2 -ml-1 pl-1">
        {payments.map(({ txSignature, time, pulled, paidUsd, valueUsd, shownChangeUsd }) => (
          <li key={txSignature}>
            <label className="flex min-h-12 items-center gap-3 py-1.5">
              <input
                type="checkbox"
                checked={!leftOutSignatures.has(txSignature)}
                onChange={() => togglePayment(txSignature)}
                className="size-5 shrink-0 accent-(--accent)"
              />
              <span className="min-w-0 grow">
                Paid <UsdAmount usd={paidUsd} />
                <span className="block text-sm text-soft">
                  {time ? formatTime(time) : "time unknown"}
                  {valueUsd !== paidUsd && `, with small payments: ${formatUsd(valueUsd)}`}
                </span>
                {pulled && (
                  <span className="block text-sm text-soft">
                    Pulled by <ShortAddress text={pulled.by} />
                  </span>
                )}
              </span>
              <span className="shrink-0 text-right">
                {shownChangeUsd ? (
                  <UsdAmount usd={shownChangeUsd} />
                ) : (
                  <span className="text-soft">{shownChangeUsd === null ? "small" : "no change"}</span>
                )}
              </span>
            </label>
          </li>
        ))}
      </ul>
      {payments.some(({ shownChangeUsd }) => shownChangeUsd === null) && (
        <p className="mt-2 text-sm text-soft">Payments below {formatUsd(SMALL_PAYMENT_USD)} are added up first.</p>
      )}
      {leftOutSignatures.size > 0 && <p className="mt-2 text-sm text-soft">Unticked payments are skipped for good.</p>}
    </>
  );
}
