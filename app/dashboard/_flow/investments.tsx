"use client";

import type { ReactNode } from "react";
import { type ActivityItem, isIncoming, useRecentActivity } from "@/app/_client/queries/activity";
import { usePrices } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { CoinLogo } from "@/app/_components/coin-logo";
import { Coins, Sol } from "@/app/_components/coins";
import { SumUsd } from "@/app/_components/money";
import { EVENT_NAMES } from "@/app/dashboard/_components/activity-words";
import { fromMicroUsd, lamportsToUsd, roundToCents } from "@/lib/domain/money";
import type { InvestmentRecord } from "@/lib/sdk/flow/invest";
import type { FlowRecord } from "@/lib/sdk/flow/record";
import type { InvestRequest } from "@/lib/sdk/requests";
import { ReceiptList, Success } from "./result";

interface Props {
  record: FlowRecord<InvestRequest, InvestmentRecord>;
  nextAction?: ReactNode;
}

/** Shows what an investment bought: the quote, until the exact amounts have been read from the chain. */
export function Investments({ record, nextAction }: Props) {
  const { serviceWallet } = useReadySession();
  const { data } = useRecentActivity(serviceWallet);
  const { data: prices } = usePrices();
  const isUsdc = record.request.payWith === "USDC";
  const paidLamports = record.done.reduce((sum, { about }) => sum + about.inputLamports, 0);
  const paidUnits = isUsdc ? record.done.reduce((sum, { about }) => sum + BigInt(about.inputAmount), 0n) : 0n;
  const coinNames = new Intl.ListFormat("en-GB").format(record.done.map(({ about }) => about.asset));
  const solPriceUsd = prices?.prices.SOL;
  const findItem = (txSignature: string) => data?.items.find((item) => item.txSignature === txSignature);
  // Add up cents, so that the total equals the sum of the activity's rows.
  const worthsUsd = record.done.map(({ about, txSignature }) => {
    const usd =
      findItem(txSignature)?.usdValue ??
      (isUsdc
        ? fromMicroUsd(BigInt(about.inputAmount))
        : solPriceUsd === undefined
          ? null
          : lamportsToUsd(about.inputLamports, solPriceUsd));
    return usd === null ? null : roundToCents(usd);
  });
  return (
    <div className="space-y-5">
      <Success amount={<SumUsd values={worthsUsd} />}>
        <ul>
          {record.done.map(({ about, txSignature }) => (
            <Investment key={txSignature} about={about} item={findItem(txSignature)} />
          ))}
        </ul>
        <p>
          Paid {isUsdc ? <Coins amount={`${paidUnits}`} decimals={6} symbol="USDC" /> : <Sol lamports={paidLamports} />}{" "}
          for {coinNames}, now in your savings wallet.
        </p>
      </Success>
      <ReceiptList
        receipts={record.done.map(({ about, txSignature }) => ({
          label: EVENT_NAMES.describeInvestment(about.asset),
          txSignature,
        }))}
      />
      {nextAction}
    </div>
  );
}

function Investment({ about, item }: { about: InvestmentRecord; item: ActivityItem | undefined }) {
  const { asset, decimals, expected } = about;
  const received = item?.amounts.find((amount) => amount.asset === asset && isIncoming(amount));
  return (
    <li
      className="flex items-center justify-center gap-2 text-xl font-semibold text-ink"
      data-testid={`bought-${asset}`}
    >
      <CoinLogo asset={asset} />
      <span>
        {!received && "About "}
        <Coins amount={received?.amount ?? expected} decimals={decimals} symbol={asset} />
      </span>
    </li>
  );
}
