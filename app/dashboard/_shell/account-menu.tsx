"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { isSandbox } from "@/app/_client/network";
import { useSession } from "@/app/_client/wallet/session";
import { Badge } from "@/app/_components/card";
import { retryLoad } from "@/app/_components/retry-load";
import { AccountButton } from "./account-button";

const importPopover = retryLoad(() => import("./account-popover").then((module) => module.AccountPopover));
const AccountPopover = dynamic(importPopover, { ssr: false });

/** Shows the account. The menu is loaded on first use, because most visits never open it. */
export function AccountMenu() {
  const { wallet } = useSession();
  const [wasOpened, setWasOpened] = useState(false);
  // If loading fails, the button stays as it is. Every view already reports an unreachable service.
  const loadPopover = (onLoaded = () => {}) => void importPopover().then(onLoaded, () => {});
  return (
    <>
      {isSandbox() && <Badge tone="warn">Sandbox</Badge>}
      {wallet && wasOpened && <AccountPopover wallet={wallet} />}
      {wallet && !wasOpened && (
        <AccountButton
          wallet={wallet}
          aria-expanded={false}
          onPointerEnter={() => loadPopover()}
          onFocus={() => loadPopover()}
          onClick={() => loadPopover(() => setWasOpened(true))}
        />
      )}
    </>
  );
}
