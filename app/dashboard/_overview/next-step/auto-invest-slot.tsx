"use client";

import { useRef } from "react";
import { useReadySession } from "@/app/_client/wallet/session";
import { loadOnRender } from "@/app/_components/load-on-render";
import { useAutoInvestReport, useIsAutoInvestOn } from "./use-auto-invest";

const AutoInvestRun = loadOnRender(() => import("./auto-invest-run").then((module) => module.AutoInvestRun));

/** Runs auto-invest on every page of the dashboard. Loads its code once the person turns it on. */
export function AutoInvestSlot() {
  const { wallet } = useReadySession();
  const isTurnedOn = useIsAutoInvestOn(wallet);
  const { stopReason } = useAutoInvestReport(wallet);
  // Keep the component after auto-invest was turned off: it says why.
  const wasTurnedOnRef = useRef(false);
  wasTurnedOnRef.current ||= isTurnedOn || stopReason !== null;
  return wasTurnedOnRef.current && <AutoInvestRun isTurnedOn={isTurnedOn} />;
}
