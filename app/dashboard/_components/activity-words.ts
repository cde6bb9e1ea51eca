import { type ActivityItem, splitMovedAmounts } from "@/app/_client/queries/activity";

export type Viewpoint = "service" | "main";

/** Event names, shared by all lists and receipts. */
export const EVENT_NAMES = {
  saved: "Saved change",
  topup: "Top-up",
  withdrawn: "Withdrawn",
  describeInvestment: (symbol: string) => `Bought ${symbol}`,
  describeSale: (symbol: string) => `Sold ${symbol}`,
} as const;

export const getTypeNames = (viewpoint: Viewpoint): Record<ActivityItem["type"], string> => ({
  round_up: "Saved change and top-ups",
  swap: "Bought and sold",
  withdrawal: viewpoint === "service" ? EVENT_NAMES.withdrawn : "Sent",
  deposit: "Received",
  other: "Other",
});

export function formatTitle(item: ActivityItem, viewpoint: Viewpoint): string {
  if (item.status === "failed") return "Failed transaction";
  switch (item.type) {
    case "round_up":
      return item.topup ? EVENT_NAMES.topup : EVENT_NAMES.saved;
    case "swap":
      return formatSwapTitle(item);
    case "withdrawal":
    case "deposit":
      return getTypeNames(viewpoint)[item.type];
    default:
      return item.tokenAccountDepositLamports < 0 ? "Account deposit returned" : "Other transaction";
  }
}

/** A swap of SOL, or of USDC for another coin than SOL, is an investment. Every other swap of one coin is a sale. */
function formatSwapTitle(item: ActivityItem): string {
  const { sent, received } = splitMovedAmounts(item);
  if (sent.length !== 1 || received.length !== 1) return "Swap";
  const isInvestment = sent[0]!.symbol === "SOL" || (sent[0]!.symbol === "USDC" && received[0]!.symbol !== "SOL");
  return isInvestment ? EVENT_NAMES.describeInvestment(received[0]!.symbol) : EVENT_NAMES.describeSale(sent[0]!.symbol);
}

export const formatTransactionCount = (count: number): string => `${count} transaction${count === 1 ? "" : "s"}`;

const thisYearFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const anyYearFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** Formats the day of an ISO 8601 time in local time, with its year. */
export const formatDay = (iso: string): string => dayFormat.format(new Date(iso));

/** Formats an ISO 8601 time in local time. Includes the year only when it is not the current one. */
export function formatTime(iso: string): string {
  const date = new Date(iso);
  return (date.getFullYear() === new Date().getFullYear() ? thisYearFormat : anyYearFormat).format(date);
}
