import type { ComponentProps, ReactNode } from "react";
import { AmountRow } from "@/app/_components/card";
import { Coins, formatCoins, Sol } from "@/app/_components/coins";
import { Fold } from "@/app/_components/fold";
import { formatPercent, UsdAmount } from "@/app/_components/money";

/** Shows the short review, its total last. It fits one phone screen together with the sign button. */
export function Review({ children, details, testId }: { children: ReactNode; details: ReactNode; testId: string }) {
  return (
    <div data-testid={testId}>
      <dl>{children}</dl>
      <Fold title="Details" className="mt-2">
        <div className="mt-2 space-y-4 text-[0.95rem]">{details}</div>
      </Fold>
    </div>
  );
}

interface WorthProps {
  usd: number | null | undefined;
  children?: ReactNode;
}

/** Shows an amount: dollars first, coins second. */
function Worth({ usd, children }: WorthProps) {
  return (
    <>
      <UsdAmount usd={usd} />
      {children && <span className="block text-sm font-normal text-soft">{children}</span>}
    </>
  );
}

type RowProps = Omit<ComponentProps<typeof AmountRow>, "children">;

export const WorthRow = ({ usd, children, ...row }: RowProps & WorthProps) => (
  <AmountRow {...row}>
    <Worth usd={usd}>{children}</Worth>
  </AmountRow>
);

export const SolRow = ({ lamports, ...row }: RowProps & Omit<WorthProps, "children"> & { lamports: number }) => (
  <WorthRow {...row}>
    <Sol lamports={lamports} />
  </WorthRow>
);

interface QuoteWorthProps {
  usd: number | null | undefined;
  quote: SwapQuote;
  symbol: string;
}

/** Shows what a swap pays out. The row's hint states the minimum, so coins that would read the same are left out. */
export function QuoteWorth({ usd, quote, symbol }: QuoteWorthProps) {
  return (
    <Worth usd={usd}>
      {!readsLikeMinimum(quote) && (
        <Coins amount={quote.outputAmount} decimals={quote.outputDecimals} symbol={symbol} />
      )}
    </Worth>
  );
}

interface MinimumProps extends Pick<QuoteWorthProps, "quote" | "symbol"> {
  /** The quote that the person reviewed before this one. Undefined without such a quote. */
  previousQuote: SwapQuote | undefined;
}

/** Shows the least that a swap pays out. If it has become less, adds the reviewed minimum, also for screen readers. */
export function Minimum({ quote, symbol, previousQuote }: MinimumProps) {
  return (
    <>
      <span data-testid="minimum-received">
        <Coins amount={quote.minimumOutputAmount} decimals={quote.outputDecimals} symbol={symbol} />
      </span>
      <span aria-live="polite" aria-atomic="true">
        {previousQuote && isShownLower(quote, previousQuote) && (
          <>
            , was {formatMinimum(previousQuote)}
            <span className="sr-only">: you would get less now</span>
          </>
        )}
      </span>
    </>
  );
}

const isShownLower = (quote: SwapQuote, otherQuote: SwapQuote): boolean =>
  BigInt(quote.minimumOutputAmount) < BigInt(otherQuote.minimumOutputAmount) &&
  formatMinimum(quote) !== formatMinimum(otherQuote);

const formatMinimum = ({ minimumOutputAmount, outputDecimals }: SwapQuote) =>
  formatCoins(minimumOutputAmount, outputDecimals);

const readsLikeMinimum = (quote: SwapQuote): boolean =>
  formatCoins(quote.outputAmount, quote.outputDecimals) === formatMinimum(quote);

interface DepositLineProps extends Pick<RowProps, "hint" | "isPart">, Omit<WorthProps, "children"> {
  lamports: number;
  label?: string;
  /** Whether `lamports` is the most that the deposit can be. */
  isLimit?: boolean;
}

/** Shows a deposit. Renders nothing without one. */
export function DepositLine(props: DepositLineProps) {
  const { lamports, usd, label = "Refundable account deposit", hint, isPart = true, isLimit = true } = props;
  if (lamports <= 0) return null;
  return (
    <AmountRow isSeparate isPart={isPart} label={label} hint={hint}>
      <span>{isLimit ? "up to " : ""}</span>
      <Worth usd={usd}>
        <Sol lamports={lamports} />
      </Worth>
    </AmountRow>
  );
}

export const UsdcAccountDeposit = (deposit: Pick<DepositLineProps, "lamports" | "usd">) => (
  <DepositLine
    {...deposit}
    label="Refundable deposit"
    hint="Opens your savings wallet’s USDC account. Returned when you close it."
  />
);

interface SwapQuote {
  /** Base units of the coin that the swap pays out, like `minimumOutputAmount`. */
  outputAmount: string;
  minimumOutputAmount: string;
  outputDecimals: number;
}

/** Explains that a sale below its minimum is cancelled, and how far the minimum is from the quote. */
export function describeMinimum({ outputAmount, minimumOutputAmount }: SwapQuote): string {
  const shareUnderQuote = 1 - Number(minimumOutputAmount) / Number(outputAmount);
  const minimumText =
    shareUnderQuote < 0.0001 ? "the minimum" : `the minimum (${formatPercent(shareUnderQuote)} under the quote)`;
  return `If you would get less than ${minimumText}, the swap is cancelled.`;
}
