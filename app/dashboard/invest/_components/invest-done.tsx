"use client";

import { type ActivityItem, useRecentActivity } from "@/app/_client/reads/activity";
import { useReadySession } from "@/app/_client/wallet/session";
import { CoinLogo } from "@/app/_components/coin-logo";
import { Coins, Sol } from "@/app/_components/money";
import { DoneActions, SignatureLine } from "@/app/dashboard/_flow/receipt";
import type { Bought, InvestRequest } from "@/lib/sdk/flow/invest";
import type { Unfinished } from "@/lib/sdk/flow/unfinished";

type Record = Unfinished<InvestRequest, Bought>;

/** What was bought. The chain says how much exactly; until it has been asked, the quote does. */
export function InvestDone({ record, onClose }: { record: Record; onClose: () => void }) {
  const { serviceWallet } = useReadySession();
  const { data } = useRecentActivity(serviceWallet);
  return (
    <div data-testid="invest-done">
      <p className="text-soft">It is in your service wallet now, and yours alone.</p>
      <ul className="mt-4 space-y-3">
        {record.done.map(({ about, txSignature }) => (
          <Purchase
            key={txSignature}
            about={about}
            txSignature={txSignature}
            item={data?.items.find((item) => item.txSignature === txSignature)}
          />
        ))}
      </ul>
      <DoneActions onClose={onClose} />
    </div>
  );
}

interface PurchaseProps {
  about: Bought;
  txSignature: string;
  item: ActivityItem | undefined;
}

function Purchase({ about, txSignature, item }: PurchaseProps) {
  const { asset, decimals, expected, inputLamports } = about;
  const received = item?.amounts.find((amount) => amount.asset === asset && !amount.amount.startsWith("-"));
  return (
    <li className="rounded-xl border border-line p-4" data-testid={`bought-${asset}`}>
      <p className="flex items-center gap-2 text-xl font-semibold">
        <CoinLogo asset={asset} />
        <span>
          {!received && "About "}
          <Coins amount={received?.amount ?? expected} decimals={decimals} symbol={asset} />
        </span>
      </p>
      <p className="text-soft">
        for <Sol lamports={inputLamports} />
      </p>
      <div className="mt-2">
        <SignatureLine of={`SOL to ${asset}`} txSignature={txSignature} />
      </div>
    </li>
  );
}
