"use client";

import { useEffect } from "react";
import { recordRecipient } from "@/app/_client/local-storage/recipients";
import { useRecentActivity } from "@/app/_client/queries/activity";
import { usePortfolio, usePrices } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";
import { Coins, Sol } from "@/app/_components/coins";
import { SumUsd } from "@/app/_components/money";
import { ShortAddress } from "@/app/_components/short-address";
import { computeWorthUsd, toShownUsd } from "@/app/dashboard/_components/activity-sums";
import { EVENT_NAMES } from "@/app/dashboard/_components/activity-words";
import { UnreadAccountsNote } from "@/app/dashboard/_components/unread-accounts-note";
import { DoneActions, type Receipt, ReceiptList, Success } from "@/app/dashboard/_flow/result";
import { lamportsToUsd } from "@/lib/domain/money";
import type { FlowRecord } from "@/lib/sdk/flow/record";
import type { WithdrawalRecord } from "@/lib/sdk/flow/withdraw";
import type { WithdrawRequest } from "@/lib/sdk/requests";
import { RemainingTokensNote } from "./not-ready";
import { computePaidDepositLamports, findDecodedItems, sumArrivals } from "./withdraw-figures";

interface Props {
  record: FlowRecord<WithdrawRequest, WithdrawalRecord>;
  earlierReceipts?: Receipt[];
  onClose: () => void;
}

export function WithdrawDone({ record, earlierReceipts = [], onClose }: Props) {
  const { wallet, serviceWallet } = useReadySession();
  const { data: prices } = usePrices();
  const { data: portfolio } = usePortfolio(serviceWallet);
  const { data: activity } = useRecentActivity(serviceWallet);
  const { done, request } = record;
  const { destination } = request;
  useEffect(() => {
    if (destination !== wallet && done.length > 0) recordRecipient(wallet, destination, new Date());
  }, [wallet, destination, done.length]);
  const arrivedAssets = sumArrivals(done.flatMap(({ about }) => about.assets));
  const solPriceUsd = prices?.prices.SOL;
  const activityItems = findDecodedItems(activity, done);
  const activityUsd = activityItems.flatMap((item) => toShownUsd(item) ?? []);
  const maxDepositLamports = sumNumbers(done.map(({ about }) => about.depositLamports));
  // The review knew only the most that the deposits cost. The activity says what was paid, once it has all transactions.
  const isActivityComplete = activityItems.length === done.length;
  const depositLamports = isActivityComplete
    ? sumNumbers(activityItems.map((item, i) => computePaidDepositLamports(item, done[i]!.about.assets)))
    : 0;
  const isDepositUnknown = maxDepositLamports > 0 && !isActivityComplete;
  const isDepositUnpaid = maxDepositLamports > 0 && isActivityComplete && depositLamports === 0;
  const currentUsd = arrivedAssets.map(({ asset, amount, decimals }) =>
    computeWorthUsd(amount, decimals, asset && prices?.prices[asset]),
  );
  if (depositLamports > 0)
    currentUsd.push(solPriceUsd === undefined ? null : lamportsToUsd(depositLamports, solPriceUsd));
  // Show the activity's amounts once all are known. Until then, show the amounts at the current prices.
  const worthsUsd = activityUsd.length === done.length ? activityUsd : currentUsd;
  // A stranger can send something to the wallet in the meantime, so ask the chain as well.
  const isEmpty = done.some(({ about }) => about.empties) && portfolio?.balances.length === 0;
  const isToMainWallet = destination === wallet;
  return (
    <div data-testid="withdraw-done">
      <Success amount={<SumUsd values={worthsUsd} />}>
        <ul className="text-lg font-semibold text-ink">
          {arrivedAssets.map(({ mint, symbol, amount, decimals }) => (
            <li key={`${mint}:${symbol}`}>
              <Coins amount={amount} decimals={decimals} symbol={symbol} />
            </li>
          ))}
          {depositLamports > 0 && (
            <li>
              <Sol lamports={depositLamports} /> account deposit
            </li>
          )}
        </ul>
        <p>
          Arrived in {isToMainWallet ? "your main wallet" : "the wallet"} <ShortAddress text={destination} />
        </p>
      </Success>
      {isEmpty && <EmptyNote hasDeposit={depositLamports > 0 || isDepositUnknown} />}
      {depositLamports > 0 && <PaidDepositNote lamports={depositLamports} isToMainWallet={isToMainWallet} />}
      {isDepositUnpaid && (
        <Notice testId="deposit-unpaid" className="mt-4" title="An account deposit stays in your savings wallet">
          <p>
            Up to <Sol lamports={maxDepositLamports} />: someone else opened the token account before your withdrawal
            arrived. You can withdraw this SOL too.
          </p>
        </Notice>
      )}
      <RemainingTokensNote className="mt-4" tokens={done.flatMap(({ about }) => about.leftBehind ?? [])} />
      <UnreadAccountsNote className="mt-4" accounts={done.flatMap(({ about }) => about.leftOut ?? [])} />
      <div className="mt-4">
        <ReceiptList
          receipts={[
            ...earlierReceipts,
            ...done.map(({ txSignature }) => ({ label: EVENT_NAMES.withdrawn, txSignature })),
          ]}
        />
      </div>
      <DoneActions onClose={onClose} />
    </div>
  );
}

function EmptyNote({ hasDeposit }: { hasDeposit: boolean }) {
  return (
    <Notice testId="service-wallet-empty" className="mt-4" tone="good" title="Your savings wallet is empty">
      <p>
        No token and no SOL is left in it{!hasDeposit && ", and all account deposits came back"}. You can start again at
        any time.
      </p>
    </Notice>
  );
}

function PaidDepositNote({ lamports, isToMainWallet }: { lamports: number; isToMainWallet: boolean }) {
  return (
    <Notice
      testId="deposit-stays"
      className="mt-4"
      title={`An account deposit stays in ${isToMainWallet ? "your main wallet" : "the receiving wallet"}`}
    >
      <p>
        <Sol lamports={lamports} />: Solana requires it for token accounts. It is returned to{" "}
        {isToMainWallet ? "you" : "that wallet’s owner"} when the account is closed.
      </p>
    </Notice>
  );
}

const sumNumbers = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);
