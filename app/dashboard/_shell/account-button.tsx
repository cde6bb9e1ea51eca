"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import type { ComponentProps } from "react";
import { Chevron } from "@/app/_components/chevron";
import { WalletIcon } from "@/app/_components/wallet-icon";
import { shortenAddress } from "@/lib/solana/short-address";

/** Shows the connected account and opens its menu. */
export function AccountButton({ wallet, ...rest }: { wallet: string } & ComponentProps<"button">) {
  const { wallet: connected } = useWallet();
  const short = shortenAddress(wallet);
  return (
    <button
      type="button"
      aria-label={`Account ${short}, ${connected?.adapter.name ?? "wallet"}`}
      aria-haspopup="dialog"
      {...rest}
      className="inline-flex min-h-11 items-center gap-2 rounded-xl px-2 text-sm text-soft hover:bg-raised hover:text-ink"
    >
      <WalletIcon src={connected?.adapter.icon} className="size-6" />
      <span aria-hidden="true" className="hidden font-mono sm:inline">
        {short}
      </span>
      <Chevron />
    </button>
  );
}
