"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { calls, readPath } from "@/app/_client/queries/calls";
import { refreshWallets, toPortfolioPath } from "@/app/_client/queries/queries";
import { useSignedRequests } from "@/app/_client/wallet/approval";
import { DEMO_WALLET_NAME } from "@/app/_client/wallet/demo-wallet-constants";
import { DONE_STEP_COUNTS, useSession } from "@/app/_client/wallet/session";
import { Button, Spinner } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CheckMark } from "@/app/_components/check-mark";
import { Chevron } from "@/app/_components/chevron";
import { loadOnRender } from "@/app/_components/load-on-render";
import type { getPortfolioContract } from "@/lib/contracts/get-portfolio";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { GIFT } from "./play-money";
import { SetupLayout } from "./setup-layout";
import { SignatureFailure } from "./signature-failure";

const STEPS = ["Demo wallet", "Sign-in", "Savings wallet", "Pretend payments"];

interface Props {
  /** Receives a note for the page, which must appear with it: later it would move what is being clicked. */
  onDone: (note: ReactNode) => void;
  /** The person prefers single steps. */
  onLeave: () => void;
}

/** Sets up a funded demo wallet with some payments. Sandbox only. */
export function PlayStart({ onDone, onLeave }: Props) {
  const { session, isDemoWallet, error, retry } = usePlaySetup(onDone);
  const doneCount = isDemoWallet ? DONE_STEP_COUNTS[session.step] : 0;
  return (
    <SetupLayout>
      <h1 className="text-2xl font-semibold sm:text-3xl">Setting up</h1>
      <Card className="mt-6">
        <ol className="space-y-4">
          {STEPS.map((label, i) => (
            <li key={label} className={`flex items-center gap-3 ${i > doneCount ? "text-soft" : "font-medium"}`}>
              <span
                aria-hidden="true"
                className="grid size-7 place-items-center rounded-full bg-accent-wash text-accent"
              >
                {i < doneCount ? <CheckMark /> : i === doneCount && error === null ? <Spinner /> : null}
              </span>
              {label}
              {i < doneCount && <span className="sr-only">(done)</span>}
            </li>
          ))}
        </ol>
        {error !== null && (
          <>
            <SignatureFailure error={error} retry={retry} />
            <div className="mt-5 flex flex-wrap gap-3">
              {!(error instanceof ApiError) && <Button onClick={retry}>Try again</Button>}
              <Button variant="quiet" onClick={onLeave}>
                Step by step
              </Button>
            </div>
          </>
        )}
      </Card>
    </SetupLayout>
  );
}

/** A sandbox that has just started responds slowly. */
const [MAX_RETRIES, RETRY_DELAY_MS] = [3, 2_000];
/** The sandbox is starting, or its answer took too long. */
const isTemporary = (error: unknown) => error instanceof ApiError && (error.status === 503 || error.status === 504);

/** Runs each step once, as soon as the previous one is done. */
function usePlaySetup(onDone: Props["onDone"]) {
  const session = useSession();
  const isDemoWallet = useWallet().wallet?.adapter.name === DEMO_WALLET_NAME;
  const { step, wallet, connect, connectError, signIn, createServiceWallet } = session;
  const [failure, setFailure] = useState<unknown>(null);
  const startedStepRef = useRef<string | null>(null);
  const retryCountRef = useRef(0);
  const currentStep = isDemoWallet ? step : "other-wallet";
  const runStep = async () => {
    startedStepRef.current = currentStep;
    setFailure(null);
    try {
      if (currentStep === "other-wallet" || currentStep === "connect") connect(DEMO_WALLET_NAME);
      else if (currentStep === "sign-in") await signIn();
      else if (currentStep === "service-wallet") await createServiceWallet();
      else if (currentStep === "ready" && wallet) {
        await fundIfEmpty(wallet);
        onDone(<PlayNote />);
      }
    } catch (error) {
      if (!isTemporary(error) || retryCountRef.current >= MAX_RETRIES) return setFailure(error);
      retryCountRef.current += 1;
      setTimeout(() => retryCountRef.current <= MAX_RETRIES && void runStep(), RETRY_DELAY_MS);
    }
  };
  useEffect(() => {
    retryCountRef.current = 0;
    return () => {
      // A pending retry must not run after the page has gone.
      retryCountRef.current = MAX_RETRIES + 1;
    };
  }, []);
  const error = failure ?? connectError;
  useEffect(() => {
    if (startedStepRef.current !== currentStep && error === null) void runStep();
  });
  return {
    session,
    isDemoWallet,
    error,
    retry: () => {
      retryCountRef.current = 0;
      void runStep();
    },
  };
}

/** Adds a history of payments whose change can be saved. */
async function fundIfEmpty(address: string): Promise<void> {
  const { pendingLamports } = await readPath<typeof getPortfolioContract>(toPortfolioPath(address));
  if (pendingLamports > 0) return;
  await calls.post("/api/sandbox/airdrop", { address, ...GIFT, history: true });
  refreshWallets(address);
}

const SigningRequestView = loadOnRender(() =>
  import("@/app/_client/wallet/signing-request-view").then((module) => module.SigningRequestView),
);

/** Lists what the automatic set-up signed. */
function PlayNote() {
  const signedRequests = useSignedRequests();
  const [isOpen, setIsOpen] = useState(false);
  const noteRef = useRef<HTMLDetailsElement>(null);
  // The page that held the focus is gone, so move the focus here. Its ring would draw the eye away from the next step.
  useEffect(() => {
    noteRef.current?.focus({ preventScroll: true });
  }, []);
  if (signedRequests.length === 0) return null;
  return (
    <details
      ref={noteRef}
      tabIndex={-1}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="group mb-5 rounded-xl border border-accent/40 bg-accent-wash outline-none"
    >
      <summary className="flex min-h-12 list-none items-center justify-between gap-3 rounded-xl px-4 [&::-webkit-details-marker]:hidden">
        <span>
          <strong className="font-medium">You are set up.</strong> See what was signed
        </span>
        <Chevron className="group-open:rotate-180" />
      </summary>
      <p className="px-4 text-soft">
        First your sign-in, then two identical signatures, proving the key can be recreated. Your wallet calls the
        savings wallet “service wallet”.
      </p>
      <ol className="space-y-2 px-4 py-3">
        {isOpen &&
          signedRequests.map((request, i) => (
            <li key={i}>
              <SigningRequestView request={request} />
            </li>
          ))}
      </ol>
    </details>
  );
}
