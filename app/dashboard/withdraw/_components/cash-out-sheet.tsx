"use client";

import { Fragment, type RefObject } from "react";
import { useHistory } from "@/app/_client/queries/history";
import { useReadySession } from "@/app/_client/wallet/session";
import { Line } from "@/app/_components/card";
import { ShortAddress } from "@/app/_components/copy";
import { addingUp, Coins, Sol, SumUsd, Usd } from "@/app/_components/money";
import { sumHistory } from "@/app/dashboard/_components/activity-sums";
import { EVENTS } from "@/app/dashboard/_components/activity-words";
import type { Portfolio } from "@/app/dashboard/_components/balances";
import { FlowSheet } from "@/app/dashboard/_flow/flow-sheet";
import { leastText, Review, Worth } from "@/app/dashboard/_flow/review";
import { lamportsToUsd, solToLamports, toCoins } from "@/lib/domain/money";
import type { CashOutBuild, CashOutRequest } from "@/lib/sdk/flow/cash-out";
import { CannotSell, type CashOut } from "./cash-out-form";
import { WithdrawDone } from "./withdraw-done";
import { WithdrawReview } from "./withdraw-review";

const WORDS = {
  review: "Review your withdrawal",
  running: "Selling and withdrawing",
  done: "Withdrawn",
  confirm: "Sign, sell and withdraw",
};

interface Props {
  cashOut: CashOut;
  portfolio: Portfolio | undefined;
  finalFocus: RefObject<HTMLElement | null>;
}

/** Runs a sale of everything and its withdrawal in one sheet. */
export function CashOutSheet({ cashOut: { flow, state }, portfolio, finalFocus }: Props) {
  const { build, record } = state;
  const everything = record && { destination: record.request.destination, asset: null, amount: null };
  return (
    <FlowSheet
      flow={flow}
      state={state}
      words={WORDS}
      finalFocus={finalFocus}
      review={
        build &&
        everything &&
        (build.withdrawal ? (
          <WithdrawReview build={build.withdrawal} request={everything} portfolio={portfolio} />
        ) : (
          <CashOutReview build={build} request={record.request} portfolio={portfolio} />
        ))
      }
      refused={build && <CannotSell build={build} />}
      done={
        everything && (
          <WithdrawDone
            record={{
              request: everything,
              inFlight: null,
              done: record.done.flatMap(({ about, ...one }) => (about.sent ? [{ ...one, about: about.sent }] : [])),
            }}
            before={record.done.flatMap(({ about, txSignature }) =>
              about.sold ? [{ label: EVENTS.sold(about.sold.asset), txSignature }] : [],
            )}
            onClose={flow.close}
          />
        )
      }
    />
  );
}

type Sale = CashOutBuild["sales"][number]["transactions"][number];

interface ReviewProps {
  build: CashOutBuild;
  request: CashOutRequest;
  portfolio: Portfolio | undefined;
}

/** Shows the minimum proceeds of each sale, the existing balance, and the destination. */
function CashOutReview({ build: { sales }, request, portfolio }: ReviewProps) {
  const { wallet, serviceWallet } = useReadySession();
  const { data: history } = useHistory(serviceWallet);
  const sold = sales.flatMap(({ transactions }) => transactions);
  const [first] = sales;
  if (!first) return null;
  const solUsd = portfolio?.solPriceUsd ?? null;
  const balance = solToLamports(first.balanceSol);
  const fees = sales.reduce((sum, { costs }) => sum + costs.networkFeeLamports, 0);
  const minimumUsdOf = ({ quote }: Sale) =>
    quote.priceUsd === null ? null : toCoins(BigInt(quote.minimumOutputAmount), quote.outputDecimals) * quote.priceUsd;
  // Tokens that are not sold are sent as they are.
  const others =
    portfolio?.balances.filter(({ asset }) => asset !== "SOL" && !sold.some((one) => one.asset === asset)) ?? [];
  const solWorth = solUsd === null ? null : lamportsToUsd(Number(balance), solUsd);
  const feesUsd = solUsd === null ? null : -lamportsToUsd(fees, solUsd);
  const there = [solWorth, ...others.map(({ usdValue }) => usdValue)];
  const deposits = history ? Math.max(0, sumHistory(history.items).depositLamports) : 0;
  const depositsUsd = solUsd === null ? null : lamportsToUsd(deposits, solUsd);
  const known = there.every((usd) => usd !== null) ? there.reduce((sum, usd) => sum + usd, 0) : null;
  const worths = addingUp([...sold.map(minimumUsdOf), known, ...(deposits > 0 ? [depositsUsd] : [])], feesUsd ?? 0);
  return (
    <Review testId="cash-out-review" details={<CashOutDetails sold={sold} />}>
      {sold.map((one, i) => (
        <Line
          key={one.asset}
          label={
            <>
              Sell <Coins amount={one.inputAmount} decimals={one.quote.inputDecimals} symbol={one.asset} />
            </>
          }
          hint="at least"
        >
          <Worth usd={worths[i]!}>
            <Coins
              amount={one.quote.minimumOutputAmount}
              decimals={one.quote.outputDecimals}
              symbol={one.quote.targetAsset}
            />
          </Worth>
        </Line>
      ))}
      <Line label="Already there">
        {known === null ? <SumUsd values={there} /> : <Usd value={worths[sold.length]} />}
        <span className="block text-sm text-soft">
          <Sol lamports={balance} />
          {others.map(({ mint, symbol, amount, decimals }) => (
            <Fragment key={`${mint}:${symbol}`}>
              , <Coins amount={amount} decimals={decimals} symbol={symbol} />
            </Fragment>
          ))}
        </span>
      </Line>
      {deposits > 0 && (
        <Line label="Deposits that return">
          <Worth usd={worths.at(-1)!}>
            <Sol lamports={deposits} />
          </Worth>
        </Line>
      )}
      <Line
        strong
        label={request.destination === wallet ? "Arrives in your main wallet" : "Arrives at another address"}
        hint={<ShortAddress text={request.destination} />}
      >
        about <SumUsd values={[...sold.map(minimumUsdOf), ...there, depositsUsd, feesUsd]} />
      </Line>
    </Review>
  );
}

function CashOutDetails({ sold }: { sold: Sale[] }) {
  return (
    <>
      {sold.map(({ asset, quote }) => (
        <p key={asset} className="text-soft">
          {asset}: {leastText(quote)}
        </p>
      ))}
      <p className="text-soft">Network fees come off the SOL. Each account that held a coin gives its deposit back.</p>
      <p className="text-soft">
        {sold.length === 1 ? "The sale goes first" : `The ${sold.length} sales go first`}, then everything is sent. If
        something could not be sent, you are asked again.
      </p>
    </>
  );
}
