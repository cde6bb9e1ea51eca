/** Words for payments and for the change that they leave. Pages, the command and the MCP server share them. */

import { formatExactUsd } from "../domain/money";
import { SMALL_PAYMENT_USD, type SmallPayments } from "../domain/spending/batches";

const count = (number: number, singular: string, plural: string) =>
  number === 1 ? `1 ${singular}` : `${number} ${plural}`;

/** Describes payments: "3 payments and 120 small ones, $2.40". @param paymentCount the number of all payments */
export function describePayments(paymentCount: number, small: SmallPayments, format = formatExactUsd): string {
  if (small.count === 0) return count(paymentCount, "payment", "payments");
  const smallUsd = format(small.sumUsd);
  if (small.count === paymentCount) return `${count(small.count, "small payment", "small payments")}, ${smallUsd}`;
  const othersText = count(paymentCount - small.count, "payment", "payments");
  return `${othersText} and ${count(small.count, "small one", "small ones")}, ${smallUsd}`;
}

/** Describes payments with their sum: "2 payments of $31.65". */
export function describeSpending(spending: { payments: number; small: SmallPayments; totalUsd: number }): string {
  const { payments, small, totalUsd } = spending;
  const text = describePayments(payments, small);
  if (payments > 0 && small.count === payments) return text;
  return `${text}${small.count > 0 ? "," : ""} of ${formatExactUsd(totalUsd)}${small.count > 0 ? " in all" : ""}`;
}

/** Says why payments are listed and cannot be saved yet. */
export const WAITING_PAYMENTS_TEXT = `Small payments wait until they reach ${formatExactUsd(SMALL_PAYMENT_USD)}`;

/** Describes the change as a share: "saves 12 % of what you spent". Returns null when nothing was spent. */
export function describeShare(changeUsd: number, spentUsd: number): string | null {
  return spentUsd > 0 ? `saves ${formatShare(changeUsd / spentUsd)} of what you spent` : null;
}

/** Formats a share in percent: whole ones from 10 on, one decimal below. */
function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  return `${percent.toLocaleString("en-US", { maximumFractionDigits: percent < 10 ? 1 : 0 })} %`;
}
