"use client";

import { useSession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { Card, Notice } from "@/app/_components/card";
import { InstallLinks } from "./no-wallet";

/** Says why the connected wallet cannot be used, and which wallets can. */
export function CannotSign({ name, signsTransactions }: { name: string; signsTransactions: boolean }) {
  const { signOut } = useSession();
  return (
    <Card title="This wallet cannot be used here">
      <Notice role="alert" tone="warn" action={<Button onClick={() => void signOut()}>Choose another wallet</Button>}>
        {signsTransactions ? (
          <p>
            {name} cannot sign a text with this account, neither plainly nor as an off-chain message. Your sign-in and
            your savings wallet need one. Choose another account or wallet.
          </p>
        ) : (
          <p>
            {name} sends each transaction as it signs it, as embedded wallets do. This page must check what was signed
            before it is sent. Choose a wallet that signs without sending.
          </p>
        )}
      </Notice>
      <p className="mt-4 text-soft">These wallets work:</p>
      <InstallLinks />
    </Card>
  );
}
