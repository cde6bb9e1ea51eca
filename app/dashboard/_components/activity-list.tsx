import type { ReactNode } from "react";
import { type ActivityItem, computeMovedAmounts, isIncoming } from "@/app/_client/queries/activity";
import { AmountRow, Badge } from "@/app/_components/card";
import { Chevron } from "@/app/_components/chevron";
import { Coins, Sol, UsdcAndSol } from "@/app/_components/coins";
import { CopyButton } from "@/app/_components/copy-button";
import { UsdAmount } from "@/app/_components/money";
import { ShortAddress } from "@/app/_components/short-address";
import { Skeleton } from "@/app/_components/skeleton";
import { lamportsToUsd } from "@/lib/domain/money";
import { roundFees, toShownUsd, toUsdcUsd } from "./activity-sums";
import { formatTime, formatTitle, type Viewpoint } from "./activity-words";
import { ExplorerLink } from "./explorer-link";

const ICON_PATHS: Record<ActivityItem["type"], string> = {
  round_up: "M12 5v14M5 12h14",
  swap: "M4 8h15m-4-4 4 4-4 4M20 16H5m4-4-4 4 4 4",
  withdrawal: "M12 20V4m-6 6 6-6 6 6",
  deposit: "M12 4v16m-6-6 6 6 6-6",
  other: "M5 12h.01M12 12h.01M19 12h.01",
};
const FAILED_ICON_PATH = "M6 6l12 12M18 6 6 18";

interface Props {
  items: readonly ActivityItem[];
  viewpoint: Viewpoint;
  /** Whether the rows start expanded, as on the transaction's own page. */
  isInitiallyOpen?: boolean;
  /** The receiver of the transactions, if the page knows it. The service does not name receivers. */
  destination?: string | undefined;
  /** The network fee that the main wallet paid for a transaction of the savings wallet, if the page knows it. */
  mainWalletFeeLamports?: number | null | undefined;
}

/** Lists a wallet's transactions, newest first. Each row expands to its fees and its signature. */
export function ActivityList({ items, viewpoint, isInitiallyOpen, ...knownFacts }: Props) {
  return (
    <ul className="divide-y divide-line" data-testid="activity-list">
      {items.map((item) => (
        <li key={item.txSignature}>
          <details className="group" open={isInitiallyOpen}>
            <summary className="-mx-2 grid list-none grid-cols-[auto_1fr_auto_auto] items-start gap-x-2 rounded-xl sm:gap-x-3 px-2 py-3 hover:bg-raised [&::-webkit-details-marker]:hidden">
              <TypeIcon item={item} />
              <span className="min-w-0">
                <span className="flex flex-wrap items-center gap-x-2 font-medium">
                  {formatTitle(item, viewpoint)}
                  {item.status === "failed" && <Badge tone="bad">Failed</Badge>}
                </span>
                <span className="block whitespace-nowrap text-sm text-soft max-[22rem]:whitespace-normal">
                  {item.time ? <time dateTime={item.time}>{formatTime(item.time)}</time> : "Time unknown"}
                </span>
              </span>
              <MovedAmounts item={item} />
              <Chevron className="mt-1 transition-transform group-open:rotate-180" />
            </summary>
            <TransactionDetails item={item} {...knownFacts} />
          </details>
        </li>
      ))}
    </ul>
  );
}

function TypeIcon({ item }: { item: ActivityItem }) {
  const hasFailed = item.status === "failed";
  return (
    <span
      aria-hidden="true"
      className={`grid size-10 place-items-center rounded-full font-semibold ${hasFailed ? "bg-bad-wash text-bad" : "bg-accent-wash text-accent"}`}
    >
      <svg
        aria-hidden="true"
        viewBox="0 0 24 24"
        className="size-5 fill-none stroke-current stroke-2"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <path d={hasFailed ? FAILED_ICON_PATH : ICON_PATHS[item.type]} />
      </svg>
    </span>
  );
}

function MovedAmounts({ item }: { item: ActivityItem }) {
  const movedAmounts = computeMovedAmounts(item);
  if (movedAmounts.length === 0) return <span className="text-right text-sm text-soft">nothing moved</span>;
  return (
    <span className="text-right">
      <span className="block font-medium">
        {item.estimated && "about "}
        {item.usdValue === null ? "value unknown" : <UsdAmount usd={toShownUsd(item)} />}
      </span>
      {movedAmounts.map(({ mint, amount, decimals, symbol }) => (
        <span key={mint + symbol} className="block text-sm text-soft">
          {isIncoming({ amount }) && "+"}
          <Coins amount={amount} decimals={decimals} symbol={symbol} />
        </span>
      ))}
    </span>
  );
}

interface DetailsProps extends Pick<Props, "destination" | "mainWalletFeeLamports"> {
  item: ActivityItem;
}

function TransactionDetails({ item, destination, mainWalletFeeLamports }: DetailsProps) {
  const { tokenAccountDepositLamports: depositLamports, priceUsd } = item;
  const networkFeeLamports = item.networkFeeLamports ?? mainWalletFeeLamports ?? null;
  const feesUsd = roundFees({ ...item, networkFeeLamports });
  return (
    <div className="mt-1 mb-3 rounded-xl bg-raised px-4 py-2 text-sm sm:ml-13">
      <dl>
        {destination && <AmountRow label="To">{destination}</AmountRow>}
        {item.pulled && (
          <AmountRow label="Pulled by" hint="You allowed this address to take dollars without your signature.">
            <ShortAddress text={item.pulled.by} />
          </AmountRow>
        )}
        {item.serviceFeeLamports !== null && (
          <AmountRow
            label="Service fee"
            // A wallet whose item has a network fee has paid. Its amount includes the service fee.
            hint={
              item.networkFeeLamports === null
                ? "Part of what you saved. The amount above is what arrived."
                : "Part of the amount above."
            }
          >
            {item.serviceFeeUnits ? (
              <AmountWorth usd={feesUsd?.serviceFeeUsd ?? toUsdcUsd(item.serviceFeeUnits)}>
                <UsdcAndSol units={item.serviceFeeUnits} lamports={item.serviceFeeLamports} />
              </AmountWorth>
            ) : (
              <SolWorth lamports={item.serviceFeeLamports} usd={feesUsd?.serviceFeeUsd} />
            )}
          </AmountRow>
        )}
        {networkFeeLamports === null ? (
          <AmountRow label="Network fee">not paid from this wallet</AmountRow>
        ) : (
          <AmountRow label="Network fee" hint={item.networkFeeLamports === null && "Paid by your main wallet"}>
            <SolWorth lamports={networkFeeLamports} usd={feesUsd?.networkFeeUsd} />
          </AmountRow>
        )}
        {depositLamports !== 0 && (
          <AmountRow
            label={depositLamports > 0 ? "Refundable account deposit" : "Account deposit returned"}
            hint="Your own money, held for a token account."
          >
            <SolWorth
              lamports={Math.abs(depositLamports)}
              usd={priceUsd === null ? undefined : lamportsToUsd(Math.abs(depositLamports), priceUsd)}
            />
          </AmountRow>
        )}
        {priceUsd === null && item.estimated ? (
          <AmountRow label="Value" hint="Roundup did not send this, or sent it more than 30 days ago.">
            at the price of that day
          </AmountRow>
        ) : (
          <AmountRow label="Price of SOL at the time">
            {priceUsd === null ? "unknown" : <UsdAmount usd={priceUsd} />}
          </AmountRow>
        )}
        <AmountRow label="Status">
          {item.status === "failed" ? "Failed. Only the network fee was charged" : "Confirmed"}
        </AmountRow>
        <div className="py-2">
          <dt>Signature</dt>
          <dd className="mt-1 flex flex-wrap items-center justify-between gap-2">
            <code className="min-w-0 break-all text-soft">{item.txSignature}</code>
            <span className="flex gap-1">
              <ExplorerLink label="this transaction" txSignature={item.txSignature} />
              <CopyButton text={item.txSignature} label="Copy" ariaLabel="Copy the signature" />
            </span>
          </dd>
        </div>
      </dl>
    </div>
  );
}

/** Shows dollars first, or SOL alone if its price at that time is unknown. */
function SolWorth({ lamports, usd }: { lamports: number; usd: number | undefined }) {
  if (usd === undefined) return <Sol lamports={lamports} />;
  return (
    <AmountWorth usd={usd}>
      <Sol lamports={lamports} />
    </AmountWorth>
  );
}

const AmountWorth = ({ usd, children }: { usd: number; children: ReactNode }) => (
  <>
    <UsdAmount usd={usd} />
    <span className="block text-soft">{children}</span>
  </>
);

export function ActivitySkeleton({ rowCount = 5 }: { rowCount?: number }) {
  return (
    <div role="status" className="divide-y divide-line">
      <span className="sr-only">Reading the activity</span>
      {Array.from({ length: rowCount }, (_, i) => (
        <div key={i} className="flex items-center gap-3 py-3">
          <Skeleton className="size-10 rounded-full" />
          <div className="flex-1 space-y-2">
            <Skeleton className="h-4 w-32" />
            <Skeleton className="h-3.5 w-24" />
          </div>
          <Skeleton className="h-4 w-24" />
        </div>
      ))}
    </div>
  );
}
