"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { Fragment, type ReactNode, useEffect, useState } from "react";
import { isSandbox } from "@/app/_client/network";
import { REMEMBERED_WALLET_KEY, useSession } from "@/app/_client/wallet/session";
import { loadOnRender } from "@/app/_components/load-on-render";
import { PageSkeleton } from "./page-skeleton";
import { PauseNote } from "./pause-note";
import { UnfinishedBanner } from "./unfinished-banner";

/** Loaded only for people who are not signed in. */
const Onboarding = loadOnRender(
  () => import("@/app/_onboarding/onboarding").then((module) => module.Onboarding),
  PageSkeleton,
);
const OnboardingDone = loadOnRender(
  () => import("@/app/_onboarding/done").then((module) => module.OnboardingDone),
  PageSkeleton,
);
/** Loaded only for people who try the service with play money. */
const PlayNote = loadOnRender(() => import("@/app/_onboarding/play-note").then((module) => module.PlayNote));
const PlayStart = loadOnRender(
  () => import("@/app/_onboarding/play-start").then((module) => module.PlayStart),
  PageSkeleton,
);

/** How long to wait for a remembered wallet to reconnect before showing the onboarding, ms. */
const PATIENCE_MS = 1_500;

/**
 * Shows the onboarding until the session is ready, then the page. A reload shows neither during the restore. The page
 * remounts when the account changes, so that it keeps no state of the previous one.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const { step, wallet, connectError } = useSession();
  const path = usePathname();
  const restoring = useRestoring();
  const [hasChosenWallet, setHasChosenWallet] = useState(false);
  const [fresh, setFresh] = useState(false);
  const play = usePlay();

  // Navigating to another page dismisses the onboarding's final step.
  useEffect(() => setFresh(false), [path]);
  useEffect(() => {
    if (step === "connect") setFresh(false);
  }, [step]);

  if (play.wanted) return <PlayStart onDone={play.done} onLeave={play.leave} />;
  if (step === "ready" && fresh) return <OnboardingDone onContinue={() => setFresh(false)} />;
  if (step === "ready") {
    return (
      <>
        {play.played && <PlayNote />}
        <PauseNote />
        <UnfinishedBanner />
        <Fragment key={wallet}>{children}</Fragment>
      </>
    );
  }
  const waiting = step === "connect" || step === "connecting";
  if (restoring && waiting && !hasChosenWallet && !connectError) return <PageSkeleton />;
  return <Onboarding onConnect={() => setHasChosenWallet(true)} onCreate={() => setFresh(true)} />;
}

/** Sets everything up with play money when the URL requests it. Sandbox only. */
function usePlay() {
  const sandbox = isSandbox();
  const wanted = useSearchParams().has("play") && sandbox;
  const path = usePathname();
  const [played, setPlayed] = useState(false);
  useEffect(() => setPlayed(false), [path]);
  const leave = () => window.history.replaceState(null, "", path);
  const done = () => {
    setPlayed(true);
    leave();
  };
  return { wanted, played, done, leave };
}

/** Returns whether a wallet that this browser remembers may still reconnect. */
function useRestoring(): boolean {
  const [restoring, setRestoring] = useState(() => localStorage.getItem(REMEMBERED_WALLET_KEY) !== null);
  useEffect(() => {
    if (!restoring) return;
    const timer = setTimeout(() => setRestoring(false), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [restoring]);
  return restoring;
}
