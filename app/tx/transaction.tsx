"use client";

import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { isSandbox } from "@/app/_client/network";
import { type ActivityItem, useActivity } from "@/app/_client/queries/activity";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState, Failure } from "@/app/_components/state-view";
import { ActivityList, ActivitySkeleton } from "@/app/dashboard/_components/activity-list";
import { ExplorerLink } from "@/app/dashboard/_components/explorer-link";
import { TX_SIGNATURE_PATTERN } from "@/lib/solana/tx-signature";

/** Public explorers cannot show the sandbox's transactions. */
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
        {TX_SIGNATURE_PATTERN.test(signature) ? (
          <TransactionDetails signature={signature} />
        ) : (
          <NothingFound title="Not a valid transaction">Part of the link may be missing.</NothingFound>
        )}
      </Card>
    </>
  );
}

/** A node may not list a new transaction yet. */
const POLL_INTERVAL_MS = 10_000;

/** Searches both histories, newest first. Reads older pages only when the person asks. */
function TransactionDetails({ signature }: { signature: string }) {
  const { wallet, serviceWallet } = useReadySession();
  const service = useActivity(serviceWallet, POLL_INTERVAL_MS);
  const main = useActivity(wallet, POLL_INTERVAL_MS);
  const isMatch = (item: ActivityItem) => item.txSignature === signature;
  const serviceItem = service.items?.find(isMatch);
  const mainItem = main.items?.find(isMatch);
  const foundItem = serviceItem ?? mainItem;
  if (foundItem) {
    return (
      <ActivityList
        items={[foundItem]}
        viewpoint={serviceItem ? "service" : "main"}
        isInitiallyOpen
        // Only the savings wallet signs a withdrawal, so the main wallet took part as its receiver.
        destination={serviceItem?.type === "withdrawal" && mainItem ? "your main wallet" : undefined}
        mainWalletFeeLamports={mainItem?.networkFeeLamports}
      />
    );
  }

  const histories = [service, main];
  const error = histories.map(({ newestPage, olderLoad }) => newestPage.error ?? olderLoad.error).find(Boolean);
  const loadOlderPages = () => void histories.map(({ loadOlder }) => loadOlder());
  const retry = () =>
    Promise.all(
      histories.flatMap(({ newestPage, olderLoad, loadOlder }) => [
        newestPage.error && newestPage.mutate(),
        olderLoad.error && loadOlder(),
      ]),
    );
  if (error) return <Failure error={error} retry={retry} title="The transaction cannot be read right now" />;
  if (!service.items || !main.items) return <ActivitySkeleton rowCount={1} />;
  if (!service.hasOlder && !main.hasOlder) {
    return (
      <NothingFound title="Not a transaction of your wallets">
        It may be another wallet’s.
        {!isSandbox() && <ExplorerLink label="this transaction" txSignature={signature} />}
      </NothingFound>
    );
  }
  return (
    <EmptyState
      title={`Not among the newest ${service.items.length + main.items.length} transactions of your wallets`}
      action={
        <Button variant="secondary" isBusy={service.olderLoad.isBusy || main.olderLoad.isBusy} onClick={loadOlderPages}>
          Look further back
        </Button>
      }
    >
      <p>It may be older, or another wallet’s.</p>
    </EmptyState>
  );
}

function NothingFound({ title, children }: { title: string; children: ReactNode }) {
  return (
    <EmptyState title={title} action={<ButtonLink href="/dashboard/activity">Go to Activity</ButtonLink>}>
      <p>{children}</p>
    </EmptyState>
  );
}
