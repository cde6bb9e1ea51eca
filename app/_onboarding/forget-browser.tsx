"use client";

import { useState } from "react";
import { browserStore } from "@/app/_client/local-storage/browser-storage";
import { DEMO_SEED_STORAGE_KEY, DEMO_WALLET_NAME } from "@/app/_client/wallet/demo-wallet-constants";
import { forgetBrowser, readLastWallet } from "@/app/_client/wallet/session-end";
import { Button } from "@/app/_components/button";
import { Card, Notice } from "@/app/_components/card";
import { Sheet } from "@/app/_components/sheet";
import { RECORD_KEY_PREFIX } from "@/lib/sdk/flow/record";

/** Refuses while a transaction is not finished. */
export function ForgetBrowser() {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Card title="This browser">
      <p className="text-soft">Settings, your goal and the addresses you used are kept in this browser only.</p>
      <Button variant="secondary" className="mt-4" onClick={() => setIsAsking(true)}>
        Forget this browser
      </Button>
      <Sheet
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title="Forget this browser?"
        description="This removes your sign-in, your settings, your goal and the addresses you used."
      >
        {isAsking && <ForgetQuestion onKeep={() => setIsAsking(false)} />}
      </Sheet>
    </Card>
  );
}

/** The outcome of a sent payment can only be learned from its record. */
const findUnfinishedPayment = () => browserStore.listKeys().some((key) => key.startsWith(RECORD_KEY_PREFIX));

function ForgetQuestion({ onKeep }: { onKeep: () => void }) {
  const [hasUnfinishedPayment, setHasUnfinishedPayment] = useState(findUnfinishedPayment);
  const forget = () => {
    // Another tab may have sent a payment while this question was open.
    if (findUnfinishedPayment()) setHasUnfinishedPayment(true);
    else forgetBrowser();
  };
  const hasDemoWallet = browserStore.get(DEMO_SEED_STORAGE_KEY) !== null;
  return (
    <>
      {hasUnfinishedPayment ? (
        <Notice tone="warn" title="A transaction is not finished">
          <p>
            Finish or dismiss it in the dashboard first. This browser keeps what is needed to find out whether it
            arrived.
          </p>
        </Notice>
      ) : (
        <>
          {hasDemoWallet && (
            <Notice tone="warn" title="The demo wallet is deleted">
              <p>Its key exists only in this browser. You cannot get its play money back.</p>
            </Notice>
          )}
          {readLastWallet() !== DEMO_WALLET_NAME && (
            <p className="mt-3">Your savings stay where they are. Connect the same wallet to see them again.</p>
          )}
          <p className="mt-3">
            {hasDemoWallet
              ? "Revoke your API keys first. Afterwards they stay valid until they expire."
              : "API keys that you generated stay valid until they expire or you revoke them with the same wallet."}
          </p>
        </>
      )}
      <div className="mt-5 flex flex-wrap gap-3">
        <Button variant="danger" disabled={hasUnfinishedPayment} onClick={forget}>
          Forget everything
        </Button>
        <Button variant="secondary" onClick={onKeep}>
          Keep
        </Button>
      </div>
    </>
  );
}
