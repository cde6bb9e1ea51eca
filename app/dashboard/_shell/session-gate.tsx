"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { type ReactNode, useEffect, useState } from "react";
import { browserStore, REMEMBERED_WALLET_KEY } from "@/app/_client/local-storage/browser-storage";
import { isSandbox } from "@/app/_client/network";
import { useOverview } from "@/app/_client/queries/overview";
import { forgetReads, useDegradedFeatures } from "@/app/_client/queries/queries";
import { useReadySession, useSession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";
import { CrashBoundary, PaymentFacts } from "@/app/_components/crash-boundary";
import { loadOnRender } from "@/app/_components/load-on-render";
import { PageSkeleton } from "./page-skeleton";
import { UnfinishedBanner, UnfinishedPayments } from "./unfinished-payments";

// The next two parts load only during the onboarding.
const Onboarding = loadOnRender(
  () => import("@/app/_onboarding/onboarding").then((module) => module.Onboarding),
  PageSkeleton,
);
const OnboardingDone = loadOnRender(
  () => import("@/app/_onboarding/done").then((module) => module.OnboardingDone),
  PageSkeleton,
);
// This part loads only for people who try the service with play money.
const PlayStart = loadOnRender(
  () => import("@/app/_onboarding/play-start").then((module) => module.PlayStart),
  PageSkeleton,
);

/** How long to wait for a remembered wallet to reconnect before showing the onboarding, ms. */
const RECONNECT_WAIT_MS = 1_500;

/**
 * Shows the onboarding until the session is ready and the last step is finished, then the page. A request for play money
 * shows its start instead. After a reload, shows a placeholder until the session is restored. The page remounts when the
 * account changes, so that it keeps no state of the previous account.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const { step, wallet, connectError } = useSession();
  const path = usePathname();
  const isRestoring = useIsRestoring();
  const [hasChosenWallet, setHasChosenWallet] = useState(false);
  const [hasJustCreatedWallet, setHasJustCreatedWallet] = useState(false);
  const play = usePlayMoneyRequest();

  // Navigating to another page dismisses the onboarding's final step.
  useEffect(() => {
    setHasJustCreatedWallet(false);
  }, [path]);
  useEffect(() => {
    if (step === "connect") setHasJustCreatedWallet(false);
  }, [step]);

  if (play.isPlayRequested) return <PlayStart onDone={play.finish} onLeave={play.leave} />;
  if (step === "ready" && hasJustCreatedWallet)
    return <OnboardingDone onContinue={() => setHasJustCreatedWallet(false)} />;
  if (step === "ready") {
    return (
      <PaymentFacts value={<UnfinishedPayments />}>
        <CrashBoundary>
          {play.note}
          <PauseNote />
          <UnfinishedBanner />
        </CrashBoundary>
        <CrashBoundary key={wallet} isPage onRetry={forgetReads}>
          {children}
        </CrashBoundary>
      </PaymentFacts>
    );
  }
  const isWaiting = step === "connect" || step === "connecting";
  if (isRestoring && isWaiting && !hasChosenWallet && !connectError) return <PageSkeleton />;
  return <Onboarding onConnect={() => setHasChosenWallet(true)} onCreate={() => setHasJustCreatedWallet(true)} />;
}

/** Returns the state of the URL's request for play money, and functions that end the request. Sandbox only. */
function usePlayMoneyRequest() {
  const isPlayRequested = useSearchParams().has("play") && isSandbox();
  const path = usePathname();
  const [note, setNote] = useState<ReactNode>(null);
  useEffect(() => {
    setNote(null);
  }, [path]);
  const leave = () => window.history.replaceState(null, "", path);
  const finish = (playNote: ReactNode) => {
    setNote(playNote);
    leave();
  };
  return { isPlayRequested, note, finish, leave };
}

function useIsRestoring(): boolean {
  const [isRestoring, setIsRestoring] = useState(() => browserStore.get(REMEMBERED_WALLET_KEY) !== null);
  useEffect(() => {
    if (!isRestoring) return;
    const timer = setTimeout(() => setIsRestoring(false), RECONNECT_WAIT_MS);
    return () => clearTimeout(timer);
  }, [isRestoring]);
  return isRestoring;
}

/** Shows what the operator has paused, and why, before the person fills in a form. */
function PauseNote() {
  const session = useReadySession();
  // The overview's answer already contains the pauses.
  const isOnOverview = usePathname() === "/dashboard";
  const { data: overview, error } = useOverview(isOnOverview ? session : null);
  const degradedFeatures = useDegradedFeatures(!isOnOverview || Boolean(error) || overview?.pauses === null);
  const separatePauses = degradedFeatures.flatMap(({ part, reason }) => (part === "pause" ? [reason] : []));
  const pauses = overview?.pauses ?? separatePauses;
  return (
    <div role="status" className="not-empty:mb-4">
      {pauses.length > 0 && (
        <Notice tone="warn" title="A part of the service is paused">
          {pauses.map((reason) => (
            <p key={reason}>{`${reason[0]?.toUpperCase()}${reason.slice(1)}`}</p>
          ))}
          <p>Your savings are not affected. You can still see and withdraw them.</p>
        </Notice>
      )}
    </div>
  );
}
