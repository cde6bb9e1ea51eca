"use client";

import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { WalletRoot } from "@/app/_client/wallet/wallet-root";
import { AccountMenu } from "./account-menu";
import { PageSkeleton } from "./page-skeleton";
import { SessionGate } from "./session-gate";
import { StorageGate } from "./storage-gate";

interface Props {
  children: ReactNode;
  /** The header's element for the account menu. */
  menuSlot: HTMLElement | null;
}

/** Shows the parts of the frame that need the wallet. They are one module, so that the browser loads its code once. */
export function WalletFrame({ children, menuSlot }: Props) {
  return (
    <WalletRoot fallback={<PageSkeleton />}>
      <StorageGate>
        <SessionGate>{children}</SessionGate>
      </StorageGate>
      {menuSlot && createPortal(<AccountMenu />, menuSlot)}
    </WalletRoot>
  );
}
