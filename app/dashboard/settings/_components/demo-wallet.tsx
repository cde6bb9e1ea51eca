"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import { storeValue } from "@/app/_client/local-storage/stored-value";
import { ASKS_FIRST, useAsksFirst } from "@/app/_client/wallet/approval";
import { DEMO_WALLET } from "@/app/_client/wallet/demo-name";
import { Card } from "@/app/_components/card";
import { Switch } from "@/app/_components/switch";

/** The demo wallet's settings. Renders nothing for any other wallet. */
export function DemoWalletSettings() {
  const { wallet } = useWallet();
  const asks = useAsksFirst();
  if (wallet?.adapter.name !== DEMO_WALLET) return null;
  const label = "Ask before each signature";
  return (
    <Card title="Demo wallet">
      <div className="flex items-center justify-between gap-4">
        <div>
          <p className="font-medium">{label}</p>
          <p className="text-sm text-soft">As other wallets do. Off, it signs by itself.</p>
        </div>
        <Switch label={label} on={asks} onChange={() => storeValue(ASKS_FIRST, asks ? null : true)} />
      </div>
    </Card>
  );
}
