"use client";

import type { RefObject } from "react";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useSavings } from "@/app/_client/queries/savings";
import { useReadySession } from "@/app/_client/wallet/session";
import { AmountRow } from "@/app/_components/card";
import { Coins, Sol } from "@/app/_components/coins";
import { SumUsd, UsdAmount } from "@/app/_components/money";
import { ShortAddress } from "@/app/_components/short-address";
import { sumHistory } from "@/app/dashboard/_components/activity-sums";
import { EVENT_NAMES } from "@/app/dashboard/_components/activity-words";
import { TOKEN_ACCOUNT_DEPOSIT_LAMPORTS } from "@/app/dashboard/_components/readiness";
import { FlowSheet } from "@/app/dashboard/_flow/flow-sheet";
import { DepositLine, describeMinimum, Minimum, QuoteWorth, Review } from "@/app/dashboard/_flow/review";
import { ASSETS } from "@/lib/domain/assets";
import type { CashOutBuild, CashOutRequest } from "@/lib/sdk/flow/cash-out";
import { MAX_PRIORITY_FEE_LAMPORTS } from "@/lib/solana/compute-budget";
import { CannotSell, type CashOut } from "./cash-out-form";
import { FullAddress } from "./destination-field";
import { WithdrawDone } from "./withdraw-done";
import { computeCashOutFigures } from "./withdraw-figures";
import { WithdrawReview } from "./withdraw-review";

const WORDS = {
  reviewTitle: "Review your withdrawal",
  runningTitle: "Selling and withdrawing",
  doneTitle: "Withdrawn",
  confirmLabel: "Sign, sell and withdraw",
};

export function CashOutSheet({ cashOut, finalFocus }: { cashOut: CashOut; finalFocus: RefObject<HTMLElement | null> }) {
  const { build, record } = cashOut.state;
  const withdrawAllRequest = record && { destination: record.request.destination, asset: null, amountBaseUnits: null };
  return (
    <FlowSheet
      {...cashOut}
      words={WORDS}
      finalFocus={finalFocus}
      reviewContent={
        build &&
        withdrawAllRequest &&
        (build.withdrawal ? (
          <WithdrawReview build={build.withdrawal} request={withdrawAllRequest} />
        ) : (
          <CashOutReview {...cashOut.state} build={build} request={record.request} />
        ))
      }
      refusedContent={build && <CannotSell build={build} />}
      doneContent={
        withdrawAllRequest && (
          <WithdrawDone
            record={{
              request: withdrawAllRequest,
              inFlight: null,
              done: record.done.flatMap(({ about, ...step }) => (about.sent ? [{ ...step, about: about.sent }] : [])),
            }}
            earlierReceipts={record.done.flatMap(({ about, txSignature }) =>
              about.sold ? [{ label: EVENT_NAMES.describeSale(about.sold.asset), txSignature }] : [],
            )}
            onClose={cashOut.flow.close}
          />
        )
      }
    />
  );
}

type Sale = CashOutBuild["sales"][number]["transactions"][number];

interface ReviewProps {
  build: CashOutBuild;
  previousBuild: CashOutBuild | null;
  request: CashOutRequest;
}

function CashOutReview({ build: { sales }, previousBuild, request }: ReviewProps) {
  const { wallet, serviceWallet } = useReadySession();
  const { portfolio: balancesRead, history: historyRead } = useSavings(serviceWallet);
  const [portfolio, history] = [balancesRead.data, historyRead.data];
  if (sales.length === 0) return null;
  const { destination } = request;
  const isToMainWallet = destination === wallet;
  const depositLamports = history ? Math.max(0, sumHistory(history.items).depositLamports) : 0;
  const figures = computeCashOutFigures(sales, portfolio, depositLamports);
  const { sold, balanceLamports, feeLamports, unsoldBalances, toUsd, heldUsd, shownUsd, arrivingUsd } = figures;
  const previousSales = previousBuild?.sales.flatMap(({ transactions }) => transactions) ?? [];
  const [shownHeldUsd = null, shownDepositUsd = null] = shownUsd.slice(sold.length);
  const arrivingMints = [
    ...sold.map(({ quote }) => ASSETS[quote.targetAsset].mint),
    ...unsoldBalances.map(({ mint }) => mint),
  ];
  return (
    <Review testId="cash-out-review" details={<CashOutDetails sold={sold} />}>
      {sold.map((sale, i) => (
        <SaleRow
          key={sale.asset}
          sale={sale}
          previousSale={previousSales.find(({ asset }) => asset === sale.asset)}
          usd={shownUsd[i]!}
        />
      ))}
      <AmountRow
        isPart
        label="Already in your wallet"
        hint={
          <>
            after <Sol lamports={feeLamports} /> of network fees
          </>
        }
      >
        {heldUsd.includes(null) && shownHeldUsd !== null && "at least "}
        <UsdAmount usd={shownHeldUsd} />
        <span className="block text-sm text-soft">
          <Sol lamports={balanceLamports} />
        </span>
        {unsoldBalances.map(({ mint, symbol, amount, decimals }) => (
          <span key={`${mint}:${symbol}`} className="block text-sm text-soft">
            <Coins amount={amount} decimals={decimals} symbol={symbol} />
          </span>
        ))}
      </AmountRow>
      <DepositLine
        lamports={depositLamports}
        usd={shownDepositUsd}
        label="Returned account deposits"
        hint={null}
        isLimit={false}
      />
      <AmountRow
        isTotal
        label={isToMainWallet ? "Arrives in your main wallet" : "Arrives at another address"}
        hint={
          <>
            {isToMainWallet ? <ShortAddress text={destination} /> : <FullAddress address={destination} />}
            <ReceiverDeposits mints={arrivingMints} destination={destination} toUsd={toUsd} />
          </>
        }
      >
        about <SumUsd values={arrivingUsd} />
      </AmountRow>
    </Review>
  );
}

function SaleRow({ sale, previousSale, usd }: { sale: Sale; previousSale: Sale | undefined; usd: number | null }) {
  return (
    <AmountRow
      isPart
      label={
        <>
          Sell <Coins amount={sale.inputAmount} decimals={sale.quote.inputDecimals} symbol={sale.asset} />
        </>
      }
      hint={
        <>
          at least <Minimum quote={sale.quote} symbol={sale.quote.targetAsset} previousQuote={previousSale?.quote} />
        </>
      }
    >
      <QuoteWorth usd={usd} quote={sale.quote} symbol={sale.quote.targetAsset} />
    </AmountRow>
  );
}

interface ReceiverDepositsProps {
  mints: string[];
  destination: string;
  toUsd: (lamports: number) => number | null;
}

/** Says what the receiver's new token accounts may lock. No portfolio lists an empty one, so it counts as new. */
function ReceiverDeposits({ mints, destination, toUsd }: ReceiverDepositsProps) {
  const { wallet } = useReadySession();
  const { data: receiver } = usePortfolio(destination);
  const hasAccount = (mint: string) =>
    mint === ASSETS.SOL.mint || receiver?.balances.some((balance) => balance.mint === mint);
  const newAccountCount = new Set(mints.filter((mint) => !hasAccount(mint))).size;
  if (newAccountCount === 0) return null;
  const placeText = destination === wallet ? "your main wallet" : "that wallet";
  const accountsText = newAccountCount === 1 ? "a new token account" : `${newAccountCount} new token accounts`;
  const lamports = newAccountCount * TOKEN_ACCOUNT_DEPOSIT_LAMPORTS;
  return (
    <span className="mt-1 block">
      Up to <UsdAmount usd={toUsd(lamports)} /> of it (<Sol lamports={lamports} />) stays locked in {placeText}, in{" "}
      {accountsText}, as a refundable account deposit.
    </span>
  );
}

function CashOutDetails({ sold }: { sold: Sale[] }) {
  return (
    <>
      {sold.map(({ asset, quote }) => (
        <p key={asset} className="text-soft">
          {asset}: {describeMinimum(quote)}
        </p>
      ))}
      <p className="text-soft">
        The network fees include the last transfer at its usual price. When Solana is busy, that transfer can cost up to{" "}
        <Sol lamports={MAX_PRIORITY_FEE_LAMPORTS} /> more.
      </p>
      <p className="text-soft">
        Each account that held a coin gives its deposit back. A deposit that stays in the receiver’s account is returned
        when its owner closes that account.
      </p>
      <p className="text-soft">
        {sold.length === 1 ? "The sale goes first" : `The ${sold.length} sales go first`}, then everything is sent. If
        something could not be sent, you are asked again.
      </p>
    </>
  );
}
