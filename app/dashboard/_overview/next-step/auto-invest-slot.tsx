"use client";

import { useRef } from "react";
import { useReadySession } from "@/app/_client/wallet/session";
import { loadOnRender } from "@/app/_components/load-on-render";
import { useAutoInvest } from "./use-auto-invest";

const AutoInvestRun = loadOnRender(() => import("./auto-invest-run").then((module) => module.AutoInvestRun));

/** Runs auto-invest on every page of the dashboard. Loads its code once the person turns it on. */
export function AutoInvestSlot() {
  const { wallet } = useReadySession();
  const isWanted = useAutoInvest(wallet);
  // Stays after auto-invest was turned off, to say why it stopped.
  const wasWanted = useRef(false);
  wasWanted.current ||= isWanted;
  return wasWanted.current && <AutoInvestRun isWanted={isWanted} />;
}
