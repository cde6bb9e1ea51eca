"use client";

import type { RefObject } from "react";
import { useReadySession } from "@/app/_client/wallet/session";
import { Line } from "@/app/_components/card";
import { Short } from "@/app/_components/copy";
import { Coins, percentText, Sol, Usd } from "@/app/_components/money";
import type { Portfolio } from "@/app/dashboard/_components/balances";
import { FlowSheet } from "@/app/dashboard/_flow/flow-sheet";
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

/** From review to result of selling everything and sending it. */
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
            before={record.done.filter(({ about }) => about.sold)}
            onClose={flow.close}
          />
        )
      }
    />
  );
}

interface ReviewProps {
  build: CashOutBuild;
  request: CashOutRequest;
  portfolio: Portfolio | undefined;
}

/** What each sale brings at the least, what is there already, and where all of it goes. */
function CashOutReview({ build: { sales }, request, portfolio }: ReviewProps) {
  const { wallet } = useReadySession();
  const sold = sales.flatMap(({ transactions }) => transactions);
  const [first] = sales;
  if (!first) return null;
  const solUsd = portfolio?.solPriceUsd ?? null;
  const balance = solToLamports(first.balanceSol);
  const fees = sales.reduce((sum, { costs }) => sum + costs.networkFeeLamports, 0);
  const worthOf = ({ quote }: (typeof sold)[number]) =>
    quote.priceUsd === null ? null : toCoins(BigInt(quote.minimumOutputAmount), quote.outputDecimals) * quote.priceUsd;
  const known = solUsd !== null && sold.every((one) => worthOf(one) !== null);
  const sumUsd = sold.reduce((sum, one) => sum + (worthOf(one) ?? 0), 0);
  return (
    <div data-testid="cash-out-review">
      <dl>
        {sold.map((one) => (
          <Line
            key={one.asset}
            label={
              <>
                Sell <Coins amount={one.inputAmount} decimals={one.quote.inputDecimals} symbol={one.asset} />
              </>
            }
            hint={`Brings at least this, or is called off (${percentText(one.quote.slippageBps / 10_000)} less than quoted).`}
          >
            <Usd value={worthOf(one)} />
            <span className="block text-sm text-soft">
              <Coins
                amount={one.quote.minimumOutputAmount}
                decimals={one.quote.outputDecimals}
                symbol={one.quote.targetAsset}
              />
            </span>
          </Line>
        ))}
        <Line label="SOL that is there" hint="Network fees come off it; deposits of closed accounts are added.">
          <Usd value={solUsd === null ? null : lamportsToUsd(Number(balance), solUsd)} />
          <span className="block text-sm text-soft">
            <Sol lamports={balance} />
          </span>
        </Line>
        <Line
          strong
          label={request.destination === wallet ? "Arrives in your main wallet" : "Arrives at another address"}
          hint={<Short text={request.destination} />}
        >
          about <Usd value={known ? sumUsd + lamportsToUsd(Number(balance) - fees, solUsd) : null} />
        </Line>
      </dl>
      <p className="mt-2 text-sm text-soft">
        {sold.length === 1 ? "The sale goes first" : `The ${sold.length} sales go first`}, then everything is sent. If
        something could not be sent, you are asked again.
      </p>
    </div>
  );
}
