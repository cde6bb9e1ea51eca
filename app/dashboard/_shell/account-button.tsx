"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import type { ComponentProps } from "react";
import { Chevron } from "@/app/_components/chevron";
import { WalletIcon } from "@/app/_components/wallet-icon";
import { shortenAddress } from "@/lib/solana/short-address";

export function AccountButton({ wallet, ...buttonProps }: { wallet: string } & ComponentProps<"button">) {
  const { wallet: connectedWallet } = useWallet();
  const shortAddress = shortenAddress(wallet);
  return (
    <button
      type="button"
      aria-label={`Account ${shortAddress}, ${connectedWallet?.adapter.name ?? "wallet"}`}
      aria-haspopup="dialog"
      {...buttonProps}
      className="inline-flex min-h-11 items-center gap-2 rounded-xl px-2 text-sm text-soft hover:bg-raised hover:text-ink"
    >
      <WalletIcon src={connectedWallet?.adapter.icon} className="size-6" />
      <span aria-hidden="true" className="hidden font-mono sm:inline">
        {shortAddress}
      </span>
      <Chevron />
    </button>
  );
}
