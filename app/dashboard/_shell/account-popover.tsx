"use client";

import { Popover } from "@base-ui/react/popover";
import { useWallet } from "@solana/wallet-adapter-react";
import type { ReactNode } from "react";
import { isSandbox } from "@/app/_client/network";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useSavings } from "@/app/_client/queries/savings";
import { useSession } from "@/app/_client/wallet/session";
import { SecondaryButton } from "@/app/_components/button";
import { Sol } from "@/app/_components/coins";
import { CopyButton } from "@/app/_components/copy-button";
import { UsdAmount } from "@/app/_components/money";
import { ShortAddress } from "@/app/_components/short-address";
import { WalletIcon } from "@/app/_components/wallet-icon";
import { useWorth } from "@/app/dashboard/_components/use-worth";
import { AccountButton } from "./account-button";

/** Shows the account's addresses and sign-out. Starts open, because the first click loads it. */
export function AccountPopover({ wallet }: { wallet: string }) {
  const { serviceWallet, signOut } = useSession();
  const { wallet: connectedWallet } = useWallet();
  const mainRead = usePortfolio(wallet);
  return (
    <Popover.Root defaultOpen>
      <Popover.Trigger render={<AccountButton wallet={wallet} />} />
      <Popover.Portal>
        <Popover.Positioner sideOffset={8} align="end" collisionPadding={12} className="z-40">
          <Popover.Popup className="w-80 max-w-[calc(100vw-1.5rem)] rounded-2xl border border-line bg-card p-5 text-ink shadow-lg shadow-black/10">
            <Popover.Title className="flex items-center gap-2 font-semibold">
              <WalletIcon src={connectedWallet?.adapter.icon} className="size-6" />
              {connectedWallet?.adapter.name ?? "Your wallet"}
            </Popover.Title>
            <p className="mt-1 text-sm text-soft">
              {isSandbox() ? "On the sandbox: all money here is play money." : "On Solana mainnet: this is real money."}
            </p>
            <AddressLine label="Main wallet" address={wallet} usd={mainRead.data?.pendingUsd}>
              , <Sol lamports={mainRead.data?.pendingLamports} />
            </AddressLine>
            {serviceWallet && <SavingsLine address={serviceWallet} />}
            <SecondaryButton className="mt-4 w-full" onClick={() => void signOut()}>
              Sign out
            </SecondaryButton>
            <p className="mt-2 text-sm text-soft">
              Your wallets and what is in them stay as they are. Sign in again at any time.
            </p>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function SavingsLine({ address }: { address: string }) {
  const { data } = useSavings(address).portfolio;
  const { worthUsd } = useWorth(data, address);
  return <AddressLine label="Savings wallet" address={address} usd={data && worthUsd} />;
}

interface LineProps {
  label: string;
  address: string;
  /** The worth of the wallet, or of the amount in `children`. */
  usd: number | null | undefined;
  children?: ReactNode;
}

function AddressLine({ label, address, usd, children }: LineProps) {
  return (
    <div className="mt-3 flex items-center justify-between gap-3 border-t border-line pt-3">
      <p className="text-sm">
        <span className="block text-soft">{label}</span>
        <ShortAddress text={address} />
        <span className="block">
          <UsdAmount usd={usd} />
          {children}
        </span>
      </p>
      <CopyButton text={address} label="Copy" ariaLabel={`Copy the address of your ${label.toLowerCase()}`} />
    </div>
  );
}
