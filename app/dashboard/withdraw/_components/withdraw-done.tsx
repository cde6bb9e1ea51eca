"use client";

import { useEffect } from "react";
import { recordRecipient } from "@/app/_client/local-storage/recipients";
import { usePrices } from "@/app/_client/queries/queries";
import { useRecentActivity } from "@/app/_client/queries/use-activity";
import { useReadySession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";
import { Coins, Sol } from "@/app/_components/coins";
import { ShortAddress } from "@/app/_components/copy";
import { SumUsd } from "@/app/_components/money";
import { toShownUsd } from "@/app/dashboard/_components/activity-sums";
import { EVENTS } from "@/app/dashboard/_components/activity-words";
import { UnreadAccountsNote } from "@/app/dashboard/_components/unread-accounts-note";
import { computeWorthUsd } from "@/app/dashboard/_components/worth-usd";
import { DoneActions, type Receipt, Signatures } from "@/app/dashboard/_flow/receipt";
import { Success } from "@/app/dashboard/_flow/success";
import { lamportsToUsd } from "@/lib/domain/money";
import type { FlowRecord } from "@/lib/sdk/flow/record";
import type { WithdrawalRecord, WithdrawRequest } from "@/lib/sdk/flow/withdraw";
import { sumArrivals } from "./arrivals";
import { RemainingTokensNote } from "./remaining-tokens-note";

interface Props {
  record: FlowRecord<WithdrawRequest, WithdrawalRecord>;
  /** Receipts of transactions that landed before the withdrawal. */
  earlierReceipts?: Receipt[];
  onClose: () => void;
}

/** Shows what arrived and what is left. */
export function WithdrawDone({ record, earlierReceipts = [], onClose }: Props) {
  const { wallet, serviceWallet } = useReadySession();
  const { data: prices } = usePrices();
  const { data: activity } = useRecentActivity(serviceWallet);
  const { done, request } = record;
  const { destination } = request;
  useEffect(() => {
    if (destination !== wallet && done.length > 0) recordRecipient(wallet, destination, new Date());
  }, [wallet, destination, done.length]);
  const leftBehind = done.flatMap(({ about }) => about.leftBehind ?? []);
  const unreadAccounts = done.flatMap(({ about }) => about.leftOut ?? []);
  const arrivedAssets = sumArrivals(done.flatMap(({ about }) => about.assets));
  const depositsLamports = done.flatMap(({ about }) => about.depositLamports || []);
  const solPriceUsd = prices?.prices.SOL;
  const activityItems = done.map(({ txSignature }) => activity?.items.find((item) => item.txSignature === txSignature));
  const activityUsd = activityItems.flatMap((item) => (item && toShownUsd(item)) ?? []);
  const currentUsd = [
    ...arrivedAssets.map(({ asset, amount, decimals }) =>
      computeWorthUsd(amount, decimals, asset && prices?.prices[asset]),
    ),
    ...depositsLamports.map((lamports) => (solPriceUsd === undefined ? null : lamportsToUsd(lamports, solPriceUsd))),
  ];
  // Show the activity's amounts once all are known. Until then, show the amounts at the current prices.
  const worthsUsd = activityUsd.length === done.length ? activityUsd : currentUsd;
  const depositedLamports = depositsLamports.reduce((sum, lamports) => sum + lamports, 0);
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
          {depositedLamports > 0 && (
            <li>
              <Sol lamports={depositedLamports} /> account deposit
            </li>
          )}
        </ul>
        <p>
          Arrived in {isToMainWallet ? "your main wallet" : "the wallet"} <ShortAddress text={destination} />
        </p>
      </Success>
      {done.some(({ about }) => about.empties) && (
        <Notice testId="service-wallet-empty" className="mt-4" tone="good" title="Your savings wallet is empty">
          <p>
            No token and no SOL is left in it
            {depositedLamports === 0 && ", and all account deposits came back"}. You can start again at any time.
          </p>
        </Notice>
      )}
      {depositedLamports > 0 && (
        <Notice
          testId="deposit-stays"
          className="mt-4"
          title={
            isToMainWallet
              ? "An account deposit stays in your main wallet"
              : "An account deposit stays in the receiving wallet"
          }
        >
          <p>
            <Sol lamports={depositedLamports} />: Solana requires it for token accounts. It is returned to{" "}
            {isToMainWallet ? "you" : "that wallet’s owner"} when the account is closed.
          </p>
        </Notice>
      )}
      <RemainingTokensNote className="mt-4" coins={leftBehind} />
      <UnreadAccountsNote className="mt-4" accounts={unreadAccounts} />
      <div className="mt-4">
        <Signatures
          receipts={[...earlierReceipts, ...done.map(({ txSignature }) => ({ label: EVENTS.withdrawn, txSignature }))]}
        />
      </div>
      <DoneActions onClose={onClose} />
    </div>
  );
}
