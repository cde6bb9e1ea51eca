"use client";

import { usePathname } from "next/navigation";
import { useTransaction } from "@/app/_client/queries/use-activity";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState, Failure } from "@/app/_components/state-view";
import { ActivityList, ActivitySkeleton } from "@/app/dashboard/_components/activity-list";
import { TX_SIGNATURE } from "@/lib/solana/tx-signature";

/**
 * Shows one transaction of the person's wallets, decoded from the chain. Public explorers cannot show the sandbox's
 * transactions.
 */
export function Transaction() {
  const signature = usePathname().slice("/tx/".length);
  return (
    <>
      <ButtonLink href="/dashboard/activity" variant="quiet" className="-ml-3 mb-2">
        Back to Activity
      </ButtonLink>
      <h1 className="text-2xl font-semibold sm:text-3xl">Transaction</h1>
      <p className="mt-1 font-mono text-sm break-all text-soft">{signature}</p>
      <Card className="mt-6">
        {TX_SIGNATURE.test(signature) ? (
          <TransactionDetails signature={signature} />
        ) : (
          <NothingFound title="Not a valid transaction">Part of the link may be missing.</NothingFound>
        )}
      </Card>
    </>
  );
}

function TransactionDetails({ signature }: { signature: string }) {
  const { wallet, serviceWallet } = useReadySession();
  const service = useTransaction(serviceWallet, signature);
  const main = useTransaction(wallet, signature);
  const found = service.item ?? main.item;
  const error = service.error ?? main.error;
  const retry = () => void Promise.all([service.mutate(), main.mutate()]);
  if (found) return <ActivityList items={[found]} viewpoint={service.item ? "service" : "main"} open />;
  if (error) return <Failure error={error} retry={retry} title="The transaction cannot be read right now" />;
  if (!service.data || !main.data) return <ActivitySkeleton rows={1} />;
  return (
    <NothingFound title="Not among the newest transactions of your wallets">
      It may be older, or another wallet’s.
    </NothingFound>
  );
}

function NothingFound({ title, children }: { title: string; children: string }) {
  return (
    <EmptyState title={title} action={<ButtonLink href="/dashboard/activity">Go to Activity</ButtonLink>}>
      <p>{children}</p>
    </EmptyState>
  );
}
