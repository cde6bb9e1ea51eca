"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { calls, readPath } from "@/app/_client/queries/calls";
import { refreshWallets, toPortfolioPath } from "@/app/_client/queries/queries";
import { DEMO_WALLET_NAME } from "@/app/_client/wallet/demo-wallet-constants";
import { DONE_STEP_COUNTS, useSession } from "@/app/_client/wallet/session";
import { Button, Spinner } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CheckMark } from "@/app/_components/check-mark";
import type { getPortfolioContract } from "@/lib/contracts/get-portfolio";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { GIFT } from "./play-money";
import { PlayNote } from "./play-note";
import { SetupLayout } from "./setup-layout";
import { SignatureFailure } from "./signature-failure";

const STEPS = ["Demo wallet", "Sign-in", "Savings wallet", "Pretend payments"];

interface Props {
  /** Called with a note for the page, which appears with it: a note that came later would move what is being clicked. */
  onDone: (note: ReactNode) => void;
  /** Called when the person prefers to set up the wallet step by step. */
  onLeave: () => void;
}

/** Sets up a funded demo wallet with some payments automatically. Sandbox only. */
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

/** Number of automatic retries, and the delay before each. A sandbox that has just started responds slowly. */
const [MAX_RETRIES, RETRY_DELAY_MS] = [3, 2_000];
/** Returns whether a retry can help: the sandbox is starting, or its answer took too long. */
const isTemporary = (error: unknown) => error instanceof ApiError && (error.status === 503 || error.status === 504);

/** Runs each set-up step once, as soon as the previous one is done. */
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

/** Funds an empty wallet, and adds a history of payments whose change can be saved. Skips a wallet with money. */
async function fundIfEmpty(address: string): Promise<void> {
  const { pendingLamports } = await readPath<typeof getPortfolioContract>(toPortfolioPath(address));
  if (pendingLamports > 0) return;
  await calls.post("/api/sandbox/airdrop", { address, ...GIFT, history: true });
  refreshWallets(address);
}
