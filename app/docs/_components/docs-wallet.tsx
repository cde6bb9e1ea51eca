"use client";

import { useCallback, useEffect, useMemo } from "react";
import nacl from "tweetnacl";
import { useSession } from "@/app/_client/wallet/session";
import { useSignTransaction } from "@/app/_client/wallet/use-sign-transaction";
import { WalletRoot } from "@/app/_client/wallet/wallet-root";
import { Button } from "@/app/_components/button";
import { Sheet } from "@/app/_components/sheet";
import { SkeletonLines } from "@/app/_components/skeleton";
import { ConnectStep } from "@/app/_onboarding/connect";
import { ServiceWalletStep, SignInStep } from "@/app/_onboarding/sign";
import { listSigners, signWithKey } from "@/lib/sdk/sign/transactions";
import { encodeUtf8, toBase64 } from "@/lib/solana/bytes";

interface Props {
  open: boolean;
  onClose: () => void;
  onChange: (wallet: ConnectedWallet | null) => void;
}

/** Connects a wallet with the dashboard's steps, and gives the consoles access to it. */
export function DocsWallet(props: Props) {
  const loading = (
    <Sheet open={props.open} onClose={props.onClose} title="Connect and sign in">
      <SkeletonLines lines={4} label="Looking for wallets" />
    </Sheet>
  );
  return (
    <WalletRoot fallback={loading}>
      <SessionBridge {...props} />
    </WalletRoot>
  );
}

function SessionBridge({ open, onClose, onChange }: Props) {
  const { step, wallet } = useSession();
  const connectedWallet = useConnectedWallet();
  useEffect(() => {
    onChange(connectedWallet);
  }, [connectedWallet, onChange]);
  useEffect(() => {
    if (step === "ready") onClose();
  }, [step, onClose]);
  return (
    <Sheet open={open && step !== "ready"} onClose={onClose} title="Connect and sign in">
      {step === "sign-in" ? (
        <SignInStep key={wallet} />
      ) : step === "service-wallet" ? (
        <>
          <ServiceWalletStep key={wallet} onCreate={() => {}} />
          <Button variant="quiet" className="mt-3" onClick={onClose}>
            Go on without a savings wallet
          </Button>
        </>
      ) : (
        <ConnectStep onConnect={() => {}} />
      )}
    </Sheet>
  );
}

/** With the signatures that a console can request. */
export type ConnectedWallet = NonNullable<ReturnType<typeof useConnectedWallet>>;

function useConnectedWallet() {
  const { wallet, serviceWallet, credentials, getServiceKey, signOut } = useSession();
  const signWithWallet = useSignTransaction();

  /** Returns base64. */
  const signAsService = useCallback(
    async (text: string) => toBase64(nacl.sign.detached(encodeUtf8(text), (await getServiceKey()).secretKey)),
    [getServiceKey],
  );
  /** Signs base64 with the wallet that the transaction requires. @throws {RangeError} when it requires neither */
  const signTransaction = useCallback(
    async (base64: string) => {
      const signers = listSigners(base64);
      if (serviceWallet && signers.includes(serviceWallet)) return signWithKey(base64, await getServiceKey());
      if (!wallet || !signers.includes(wallet))
        throw new RangeError("This transaction asks neither of your two wallets for a signature.");
      return signWithWallet(base64);
    },
    [wallet, serviceWallet, getServiceKey, signWithWallet],
  );
  return useMemo(
    () => (wallet ? { wallet, serviceWallet, credentials, signAsService, signTransaction, signOut } : null),
    [wallet, serviceWallet, credentials, signAsService, signTransaction, signOut],
  );
}
