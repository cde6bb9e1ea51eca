"use client";

import { type Portfolio, usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { AmountRow, Notice } from "@/app/_components/card";
import { Coins, Sol } from "@/app/_components/coins";
import { SumUsd, UsdAmount } from "@/app/_components/money";
import { ShortAddress } from "@/app/_components/short-address";
import { computeWorthUsd } from "@/app/dashboard/_components/activity-sums";
import { UnreadAccountsNote } from "@/app/dashboard/_components/unread-accounts-note";
import { DepositLine, Review, WorthRow } from "@/app/dashboard/_flow/review";
import { lamportsToUsd } from "@/lib/domain/money";
import { roundToAddUp } from "@/lib/domain/shown-sum";
import type { WithdrawBuild, WithdrawnAsset } from "@/lib/sdk/flow/withdraw";
import type { WithdrawRequest } from "@/lib/sdk/requests";
import { FullAddress } from "./destination-field";
import { RemainingTokensNote } from "./not-ready";
import {
  describeReturnedDeposits,
  joinTokenNames,
  listStrandedTokenSymbols,
  sumArrivals,
  sumUsdOrNull,
} from "./withdraw-figures";

interface Props {
  build: WithdrawBuild;
  request: WithdrawRequest;
}

/** Shows everything that is about to be signed: amounts, destination, refunds, costs, and tokens that stay. */
export function WithdrawReview({ build, request }: Props) {
  const { wallet, serviceWallet } = useReadySession();
  // Supplies the prices.
  const { data: portfolio } = usePortfolio(serviceWallet);
  const { destination, transactions, leftBehind, leftOut, complete } = build;
  const isToMainWallet = destination === wallet;
  const strandedTokens = portfolio ? listStrandedTokenSymbols(portfolio, request, BigInt(build.remainingLamports)) : [];
  const arrivals = sumArrivals(transactions.flatMap(({ assets }) => assets));
  const lineCount = arrivals.length > MAX_LINES ? MAX_LINES - 1 : MAX_LINES;
  const { tokenAccountDepositLamports: maxDepositLamports, expectedDepositLamports } = build.costs;
  // Only what arrives counts here. A deposit of the highest rent would promise more than that.
  const depositLamports = expectedDepositLamports ?? maxDepositLamports;
  const solPriceUsd = portfolio?.solPriceUsd ?? null;
  const depositUsd = solPriceUsd && lamportsToUsd(depositLamports, solPriceUsd);
  const exactUsd = computeWorthsUsd(arrivals, portfolio);
  const arrivingUsd = [
    ...exactUsd.slice(0, lineCount),
    ...(exactUsd.length > lineCount ? [sumUsdOrNull(exactUsd.slice(lineCount))] : []),
    ...(depositLamports > 0 ? [depositUsd] : []),
  ];
  const shownUsd = roundToAddUp(arrivingUsd);
  const details = <WithdrawDetails build={build} unlistedAssets={arrivals.slice(lineCount)} request={request} />;
  return (
    <div className="space-y-4">
      <Review testId="arrives" details={details}>
        {arrivals.slice(0, lineCount).map(({ mint, symbol, amount, decimals }, i) => (
          <WorthRow isPart key={`${mint}:${symbol}`} label={symbol} usd={shownUsd[i]!}>
            <Coins amount={amount} decimals={decimals} symbol={symbol} />
          </WorthRow>
        ))}
        {arrivals.length > lineCount && (
          <AmountRow isPart label={`${arrivals.length - lineCount} more`}>
            <UsdAmount usd={shownUsd[lineCount]} />
          </AmountRow>
        )}
        {arrivals.length === 0 && (
          <AmountRow label="Nothing" hint="This closes empty token accounts and returns their account deposits.">
            <UsdAmount usd={0} />
          </AmountRow>
        )}
        <DepositLine
          lamports={depositLamports}
          usd={shownUsd.at(-1)!}
          isLimit={false}
          hint={
            <DepositHint
              place={isToMainWallet ? "your main wallet" : "that wallet"}
              limitLamports={maxDepositLamports > depositLamports ? maxDepositLamports : null}
            />
          }
        />
        <AmountRow
          isTotal
          label={isToMainWallet ? "Arrives in your main wallet" : "Arrives at another address"}
          hint={isToMainWallet ? <ShortAddress text={destination} /> : <FullAddress address={destination} />}
        >
          <SumUsd values={arrivingUsd} />
        </AmountRow>
      </Review>
      <CarefulNote build={build} />
      <RemainingTokensNote tokens={leftBehind} />
      <UnreadAccountsNote accounts={leftOut} />
      {!complete && (
        <Notice tone="warn" title="This needs more than one transaction">
          <p>There are too many token accounts for one withdrawal. You review the rest after this part arrives.</p>
        </Notice>
      )}
      {strandedTokens.length > 0 && (
        <Notice tone="warn" title={`${joinTokenNames(strandedTokens)} will then need SOL to move`}>
          <p>
            The remaining SOL may not pay for sending them later. To withdraw everything together, cancel and choose
            “Everything”.
          </p>
        </Notice>
      )}
    </div>
  );
}

const DepositHint = ({ place, limitLamports }: { place: string; limitLamports: number | null }) => (
  <>
    <span>Stays in {place}. Returned when its owner closes the account.</span>
    {limitLamports !== null && (
      <span className="block">
        At most <Sol lamports={limitLamports} />.
      </span>
    )}
  </>
);

/** The most lines of amounts. More would push the button off a phone screen. */
const MAX_LINES = 5;

/** Returns the USD worth of each amount at the displayed prices, or null without a price. */
function computeWorthsUsd(assets: WithdrawnAsset[], portfolio: Portfolio | undefined): (number | null)[] {
  const priceByMint = new Map(portfolio?.balances.map(({ mint, priceUsd }) => [mint, priceUsd]));
  return assets.map(({ mint, symbol, amount, decimals }) =>
    computeWorthUsd(amount, decimals, symbol === "SOL" ? portfolio?.solPriceUsd : priceByMint.get(mint)),
  );
}

interface WithdrawDetailsProps extends Props {
  unlistedAssets: WithdrawnAsset[];
}

function WithdrawDetails({ build, unlistedAssets, request }: WithdrawDetailsProps) {
  const { wallet } = useReadySession();
  const { costs, remainingLamports, transactions, destination } = build;
  return (
    <>
      {unlistedAssets.length > 0 && (
        <ul className="list-disc pl-5">
          {unlistedAssets.map(({ mint, symbol, amount, decimals }) => (
            <li key={`${mint}:${symbol}`}>
              <Coins amount={amount} decimals={decimals} symbol={symbol} />
            </li>
          ))}
        </ul>
      )}
      <dl>
        <AmountRow
          label="Network fee"
          hint={
            transactions.length === 1 ? "One transaction" : `${transactions.length} transactions, one after the other`
          }
        >
          <Sol lamports={costs.networkFeeLamports} />
        </AmountRow>
        {costs.returnedDepositLamports > 0 && (
          <AmountRow label="Returned account deposits" hint={describeReturnedDeposits(build)}>
            <Sol lamports={costs.returnedDepositLamports} />
          </AmountRow>
        )}
        <AmountRow
          label="Stays in your savings wallet"
          hint={
            request.asset === null && remainingLamports === 0
              ? "Nothing: it is empty afterwards"
              : "SOL. Tokens that you do not withdraw stay too"
          }
        >
          <Sol lamports={remainingLamports} />
        </AmountRow>
      </dl>
      {costs.tokenAccountDepositLamports > 0 && (
        <p className="text-soft">
          The account deposit is for token accounts that {destination === wallet ? "your main wallet" : "the receiver"}{" "}
          does not have yet. It returns when those are closed.
        </p>
      )}
      <p className="font-mono text-sm break-all text-soft">To {destination}</p>
    </>
  );
}

/** Explains, after a rejected withdrawal, what stays behind to prevent another rejection, and what the wallet lacks. */
function CarefulNote({ build }: { build: WithdrawBuild }) {
  const { keepsRentMinimum, missingToKeep = 0, remainingLamports } = build;
  if (!keepsRentMinimum && missingToKeep === 0) return null;
  return (
    <Notice testId="careful-withdrawal" tone="warn" title="The last withdrawal was refused">
      <p>
        Your savings wallet changed before the withdrawal arrived. Anyone can cause this by sending it a small amount.
      </p>
      {keepsRentMinimum && (
        <p>
          This withdrawal takes your coins and leaves <Sol lamports={remainingLamports} /> and other tokens. Withdraw
          the rest later.
        </p>
      )}
      {missingToKeep > 0 && (
        <p>
          It could be refused again. To prevent that, first add <Sol lamports={missingToKeep} /> to your savings wallet.
          This SOL stays yours.
        </p>
      )}
    </Notice>
  );
}
