"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { usePlans } from "@/app/_client/queries/queries";
import { useSession } from "@/app/_client/wallet/session";
import { Badge } from "@/app/_components/card";
import { AccountButton } from "./account-button";

const importPopover = () => import("./account-popover").then((module) => module.AccountPopover);
const AccountPopover = dynamic(importPopover, { ssr: false });

/** Which wallet, on which network, its addresses, and the way out. Most visits never open it, so it is loaded then. */
export function AccountMenu() {
  const { wallet } = useSession();
  const { data: plans } = usePlans();
  const [wanted, setWanted] = useState(false);
  // Cut off, the button stays as it is; every view says that the service cannot be reached.
  const load = (then = () => {}) => void importPopover().then(then, () => {});
  return (
    <>
      {plans?.network === "sandbox" && <Badge tone="warn">Sandbox</Badge>}
      {wallet && wanted && <AccountPopover wallet={wallet} />}
      {wallet && !wanted && (
        <AccountButton
          wallet={wallet}
          aria-expanded={false}
          onPointerEnter={() => load()}
          onFocus={() => load()}
          onClick={() => load(() => setWanted(true))}
        />
      )}
    </>
  );
}
