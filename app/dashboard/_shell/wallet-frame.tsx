"use client";

import { type ReactNode, useState } from "react";
import { createPortal } from "react-dom";
import { tabStore } from "@/app/_client/local-storage/browser-storage";
import { WalletRoot } from "@/app/_client/wallet/wallet-root";
import { Button, QuietButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import {
  ALLOW_STORAGE_TEXT,
  STORAGE_PROBLEM_TITLES,
  StorageNote,
  useStorageProblem,
} from "@/app/dashboard/_components/storage-note";
import { AccountMenu } from "./account-menu";
import { PageSkeleton } from "./page-skeleton";
import { SessionGate } from "./session-gate";

/** Shows the parts of the frame that need the wallet. They are one module, so that the browser loads its code once. */
export function WalletFrame({ children, menuSlot }: { children: ReactNode; menuSlot: HTMLElement | null }) {
  return (
    <WalletRoot fallback={<PageSkeleton />}>
      <StorageGate>
        <SessionGate>{children}</SessionGate>
      </StorageGate>
      {menuSlot && createPortal(<AccountMenu />, menuSlot)}
    </WalletRoot>
  );
}

/** Storage key, for this tab only. It is set once the person goes on although the browser blocks storage. */
const GOES_ON_KEY = "roundup-without-storage";

/** Says that the browser does not store everything: before the wallet signs anything, or above the page. */
export function StorageGate({ children }: { children: ReactNode }) {
  const problem = useStorageProblem();
  const [goesOn, setGoesOn] = useState(() => tabStore.get(GOES_ON_KEY) !== null);
  const goOn = () => {
    tabStore.keep(GOES_ON_KEY, "1");
    setGoesOn(true);
  };
  if (problem === "blocked" && !goesOn) return <StorageBlocked onContinue={goOn} />;
  return (
    <>
      {problem && (
        <StorageNote problem={problem} className="mb-4">
          <p>
            {problem === "blocked"
              ? "You can read and withdraw, but not save, invest or sell. A reload forgets everything."
              : "A reload forgets what you change now."}
          </p>
        </StorageNote>
      )}
      {children}
    </>
  );
}

function StorageBlocked({ onContinue }: { onContinue: () => void }) {
  return (
    <div className="mx-auto max-w-2xl">
      <h1 className="text-2xl font-semibold sm:text-3xl">{STORAGE_PROBLEM_TITLES.blocked}</h1>
      <Card className="mt-6">
        <p>{ALLOW_STORAGE_TEXT}</p>
        <p className="mt-3 text-soft">
          This page stores your sign-in and each payment until it has arrived. Without that, a reload could pay twice.
          You can still read and withdraw.
        </p>
        <div className="mt-5 flex flex-wrap gap-3">
          <Button onClick={() => window.location.reload()}>Reload</Button>
          <QuietButton onClick={onContinue}>Continue without storage</QuietButton>
        </div>
      </Card>
    </div>
  );
}
