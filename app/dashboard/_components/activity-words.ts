import { type ActivityAmount, type ActivityItem, movedAmounts } from "@/app/_client/reads/activity";

/** From whose side a transaction is told. */
export type Viewpoint = "service" | "main";

export const TYPE_NAMES: Record<ActivityItem["type"], string> = {
  round_up: "Round-ups",
  swap: "Swaps",
  withdrawal: "Withdrawals",
  deposit: "Deposits",
  other: "Other",
};

/** What happened, in a few words. */
export function titleOf(item: ActivityItem, viewpoint: Viewpoint): string {
  if (item.status === "failed") return "Failed transaction";
  switch (item.type) {
    case "round_up":
      return viewpoint === "service" ? "Round-up" : "Round-up paid";
    case "swap":
      return swapTitle(movedAmounts(item));
    case "withdrawal":
      return viewpoint === "service" ? "Withdrawal" : "Sent";
    case "deposit":
      return viewpoint === "service" ? "Deposit" : "Received";
    default:
      return item.tokenAccountDepositLamports < 0 ? "Deposit returned" : "Other transaction";
  }
}

function swapTitle(moved: ActivityAmount[]): string {
  const to = moved.filter(({ amount }) => !amount.startsWith("-"));
  return to.length === 1 ? `Swap to ${to[0]!.symbol}` : "Swap";
}

const thisYear = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const anyYear = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** Local day of this browser, with its year. */
export const dayText = (iso: string): string => day.format(new Date(iso));

/** Local time of this browser; the year only when it is another one. */
export function timeText(iso: string): string {
  const date = new Date(iso);
  return (date.getFullYear() === new Date().getFullYear() ? thisYear : anyYear).format(date);
}
