"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useState } from "react";
import { REMEMBERED_WALLET, useSession } from "@/app/_client/wallet/session";
import { OnboardingDone } from "@/app/_onboarding/done";
import { Onboarding } from "@/app/_onboarding/onboarding";
import { PageSkeleton } from "./page-skeleton";
import { PauseNote } from "./pause-note";

/** How long a remembered wallet may take to come back before its absence is shown, ms. */
const PATIENCE_MS = 1_500;

/** Shows the onboarding until the session is ready, then the page. A reload passes without a flash of either. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { step, connectError } = useSession();
  const path = usePathname();
  const restoring = useRestoring();
  const [asked, setAsked] = useState(false);
  const [fresh, setFresh] = useState(false);

  // Going to another page is goodbye enough.
  useEffect(() => setFresh(false), [path]);
  useEffect(() => {
    if (step === "connect") setFresh(false);
  }, [step]);

  if (step === "ready" && fresh) return <OnboardingDone onContinue={() => setFresh(false)} />;
  if (step === "ready") {
    return (
      <>
        <PauseNote />
        {children}
      </>
    );
  }
  const waiting = step === "connect" || step === "connecting";
  if (restoring && waiting && !asked && !connectError) return <PageSkeleton />;
  return <Onboarding onConnect={() => setAsked(true)} onCreate={() => setFresh(true)} />;
}

/** Whether a wallet that this browser remembers may still come back by itself. */
function useRestoring(): boolean {
  const [restoring, setRestoring] = useState(() => localStorage.getItem(REMEMBERED_WALLET) !== null);
  useEffect(() => {
    if (!restoring) return;
    const timer = setTimeout(() => setRestoring(false), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [restoring]);
  return restoring;
}
