"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import { useEffect, useState } from "react";
import { browserStore, REMEMBERED_WALLET_KEY } from "@/app/_client/local-storage/browser-storage";
import { DEMO_WALLET_NAME } from "@/app/_client/wallet/demo-wallet-constants";
import { useSession } from "@/app/_client/wallet/session";
import { dismissSessionEnd, hasSessionEnded, readLastWallet } from "@/app/_client/wallet/session-end";
import { explainWalletError } from "@/app/_client/wallet/wallet-errors";
import { Button, Spinner } from "@/app/_components/button";
import { Badge, Card, Notice } from "@/app/_components/card";
import { Chevron } from "@/app/_components/chevron";
import { WalletIcon } from "../_components/wallet-icon";
import { NoWallet } from "./no-wallet";
import { WalletFailureText } from "./wallet-failure-text";

export function ConnectStep({ onConnect }: { onConnect: () => void }) {
  const { step, connect, connectError } = useSession();
  const [triedName, setTriedName] = useState<string | null>(null);
  const { wallets, wallet } = useWallet();
  const chooseWallet = (name: string, signsIn = true) => {
    dismissSessionEnd();
    onConnect();
    setTriedName(name);
    connect(name, signsIn);
  };
  // Hardware wallets refuse Sign In With Solana. They sign in afterwards, with the fixed text.
  const triedToSignIn = wallets.some(({ adapter }) => adapter.name === triedName && "signIn" in adapter);
  if (step === "connecting" && wallet) return <Connecting name={wallet.adapter.name} />;
  const failure = connectError && explainWalletError(connectError, "connection");
  const lastWallet = readLastWallet();
  const sortedWallets = wallets.toSorted(
    (left, right) => Number(right.adapter.name === lastWallet) - Number(left.adapter.name === lastWallet),
  );
  const lacksRealWallet = sortedWallets.every(({ adapter }) => adapter.name === DEMO_WALLET_NAME);
  return (
    <Card title="Choose your wallet">
      <p className="text-soft">This page sees your address. It cannot move anything.</p>
      {hasSessionEnded() && (
        <Notice className="mt-4" role="status" title="You were signed out">
          <p>Another tab has forgotten this browser, or its site data was deleted.</p>
        </Notice>
      )}
      {failure && (
        <Notice
          className="mt-4"
          role="alert"
          tone={failure.isRefused ? "plain" : "warn"}
          title={failure.title}
          action={
            triedToSignIn && (
              <Button variant="secondary" onClick={() => chooseWallet(triedName!, false)}>
                Connect first, sign in afterwards
              </Button>
            )
          }
        >
          <WalletFailureText failure={failure} />
        </Notice>
      )}
      {lacksRealWallet && lastWallet !== DEMO_WALLET_NAME && <NoWallet />}
      {sortedWallets.length > 0 && (
        <ul className="mt-5 space-y-3">
          {sortedWallets.map(({ adapter }) => (
            <li key={adapter.name}>
              <button
                type="button"
                onClick={() => chooseWallet(adapter.name)}
                className="relative flex min-h-16 w-full flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-line-strong bg-card py-3 pr-9 pl-4 text-left hover:bg-raised"
              >
                <WalletIcon src={adapter.icon} className="size-10" />
                <span className="min-w-40 flex-1">
                  <span className="block font-medium">{adapter.name}</span>
                  {adapter.name === lastWallet ? (
                    <span className="block text-sm text-soft">You used this wallet last.</span>
                  ) : (
                    adapter.name === DEMO_WALLET_NAME && (
                      <span className="block text-sm text-soft">Nothing to install.</span>
                    )
                  )}
                </span>
                <span className="max-sm:ml-13">
                  <Badge tone={adapter.name === DEMO_WALLET_NAME ? "warn" : "good"}>
                    {adapter.name === DEMO_WALLET_NAME ? "Play money" : "Detected"}
                  </Badge>
                </span>
                <Chevron className="-rotate-90 absolute right-2.5 text-accent max-sm:top-1/2 max-sm:-mt-2" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {lacksRealWallet && lastWallet === DEMO_WALLET_NAME && <NoWallet />}
    </Card>
  );
}

/** Without a reload, a wallet that never answers stays busy. */
function forgetWalletAndReload(): void {
  browserStore.store(REMEMBERED_WALLET_KEY, null);
  window.location.reload();
}

function Connecting({ name }: { name: string }) {
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), 4_000);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Card title={`Connecting to ${name}`}>
      <p role="status" className="flex items-center gap-3">
        <Spinner />
        <span>Allow the connection in your wallet’s window.</span>
      </p>
      {isSlow && (
        <p role="status" className="mt-3 text-soft">
          No window? It may be hidden behind this one, or the wallet may be locked. Click its icon in the browser’s bar
          and unlock it.
        </p>
      )}
      <Button variant="secondary" className="mt-5" onClick={forgetWalletAndReload}>
        Choose another wallet
      </Button>
    </Card>
  );
}
