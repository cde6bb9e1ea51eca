"use client";

import { useReadySession } from "@/app/_client/wallet/session";
import { Line, Notice } from "@/app/_components/card";
import { Coins, Sol, Usd } from "@/app/_components/money";
import type { Portfolio } from "@/app/dashboard/_components/balances";
import { LeftOut } from "@/app/dashboard/_components/left-out";
import { toCoins } from "@/lib/domain/money";
import type { WithdrawBuild, WithdrawRequest } from "@/lib/sdk/flow/withdraw";
import { arrivalsOf } from "./arrivals";
import { LeftBehind } from "./left-behind";
import { namesText, tokensWithoutSol } from "./tokens-that-stay";

interface Props {
  build: WithdrawBuild;
  request: WithdrawRequest;
  /** For prices. */
  portfolio: Portfolio | undefined;
}

/** Everything that is about to be signed: what arrives where, what comes back, what it costs, what stays. */
export function WithdrawReview({ build, request, portfolio }: Props) {
  const { wallet } = useReadySession();
  const { destination, transactions, leftBehind, leftOut, complete } = build;
  const toMain = destination === wallet;
  const stranded = portfolio ? tokensWithoutSol(portfolio, request, BigInt(build.remainingLamports)) : [];
  const priceOf = new Map(portfolio?.balances.map(({ mint, priceUsd }) => [mint, priceUsd]));
  return (
    <div className="space-y-5">
      <section aria-label="What arrives" className="rounded-xl border border-line p-4" data-testid="arrives">
        <h3 className="font-semibold">{toMain ? "Arrives in your main wallet" : "Arrives at another address"}</h3>
        <p className={`mt-1 font-mono text-sm break-all ${toMain ? "text-soft" : "font-semibold"}`}>{destination}</p>
        <ul className="mt-2 divide-y divide-line">
          {arrivalsOf(transactions.flatMap(({ assets }) => assets)).map(({ mint, symbol, amount, decimals }) => {
            const price = symbol === "SOL" ? portfolio?.solPriceUsd : priceOf.get(mint);
            return (
              <li key={`${mint}:${symbol}`} className="flex items-baseline justify-between gap-4 py-2">
                <strong>
                  <Coins amount={amount} decimals={decimals} symbol={symbol} />
                </strong>
                <span className="text-soft">
                  <Usd value={price ? toCoins(BigInt(amount), decimals) * price : null} />
                </span>
              </li>
            );
          })}
        </ul>
        {transactions.every(({ assets }) => assets.length === 0) && (
          <p className="mt-2 text-soft">
            Nothing: this only closes empty token accounts, so that their deposits return.
          </p>
        )}
      </section>
      <LeftBehind list={leftBehind} />
      <LeftOut list={leftOut} />
      {!complete && (
        <Notice tone="warn" title="This takes more than one go">
          <p>
            There are more token accounts than fit into one. When this has landed, the rest is shown to you in the same
            way.
          </p>
        </Notice>
      )}
      {stranded.length > 0 && (
        <Notice tone="warn" title={`${namesText(stranded)} will then need SOL to move`}>
          <p>
            So little SOL stays that it may not pay for sending them later. If you mean to take out everything, cancel
            and choose “Everything”: then all of it leaves together.
          </p>
        </Notice>
      )}
      <Costs build={build} all={request.asset === null} toMain={toMain} />
    </div>
  );
}

function Costs({ build, all, toMain }: { build: WithdrawBuild; all: boolean; toMain: boolean }) {
  const { costs, remainingLamports, transactions } = build;
  return (
    <section aria-label="Costs and deposits">
      <dl className="divide-y divide-line">
        {costs.returnedDepositLamports > 0 && (
          <Line
            label="Deposits that return"
            hint={
              build.receivedLamports > 0
                ? "From closed token accounts; part of the SOL above"
                : "From closed token accounts; they stay in your savings wallet"
            }
          >
            <Sol lamports={costs.returnedDepositLamports} />
          </Line>
        )}
        {costs.tokenAccountDepositLamports > 0 && (
          <Line
            label={`Deposits for ${toMain ? "your main wallet" : "the receiver"}`}
            hint="For token accounts that it does not have yet. They return when those are closed."
          >
            <Sol lamports={costs.tokenAccountDepositLamports} />
          </Line>
        )}
        <Line
          label="Network fee"
          hint={
            transactions.length === 1 ? "One transaction" : `${transactions.length} transactions, one after the other`
          }
        >
          <Sol lamports={costs.networkFeeLamports} />
        </Line>
        <Line
          label="Stays in your savings wallet"
          hint={
            all && remainingLamports === 0
              ? "Nothing: it is empty afterwards"
              : "SOL; tokens you do not take out stay too"
          }
          strong
        >
          <Sol lamports={remainingLamports} />
        </Line>
      </dl>
    </section>
  );
}
