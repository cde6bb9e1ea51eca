"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import { useEffect, useRef, useState } from "react";
import { calls, readPath } from "@/app/_client/queries/calls";
import { portfolioPath, refreshWallets } from "@/app/_client/queries/queries";
import { DEMO_WALLET_NAME } from "@/app/_client/wallet/demo-name";
import { STEPS_DONE, useSession } from "@/app/_client/wallet/session";
import { Button, Spinner } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Tick } from "@/app/_components/tick";
import type { getPortfolioContract } from "@/lib/contracts/get-portfolio";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { GIFT_SOL } from "./play-money";
import { OnboardingTrouble } from "./trouble";

const STEPS = ["Demo wallet", "Sign-in", "Savings wallet", "A month of payments"];

interface Props {
  onDone: () => void;
  /** Called when the person prefers to go step by step. */
  onLeave: () => void;
}

/** Sets up a funded demo wallet with some payments automatically. Sandbox only. */
export function PlayStart({ onDone, onLeave }: Props) {
  const { session, isDemo, error, retry } = usePlaySetup(onDone);
  const done = isDemo ? STEPS_DONE[session.step] : 0;
  return (
    <div className="mx-auto max-w-md">
      <h1 className="text-2xl font-semibold sm:text-3xl">Setting up</h1>
      <Card className="mt-6">
        <ol className="space-y-4">
          {STEPS.map((label, i) => (
            <li key={label} className={`flex items-center gap-3 ${i > done ? "text-soft" : "font-medium"}`}>
              <span
                aria-hidden="true"
                className="grid size-7 place-items-center rounded-full bg-accent-wash text-accent"
              >
                {i < done ? <Tick /> : i === done && error === null ? <Spinner /> : null}
              </span>
              {label}
              {i < done && <span className="sr-only">(done)</span>}
            </li>
          ))}
        </ol>
        {error !== null && (
          <>
            <OnboardingTrouble error={error} retry={retry} />
            <div className="mt-5 flex flex-wrap gap-3">
              {!(error instanceof ApiError) && <Button onClick={retry}>Try again</Button>}
              <Button variant="quiet" onClick={onLeave}>
                Step by step
              </Button>
            </div>
          </>
        )}
      </Card>
    </div>
  );
}

/** Number of automatic retries and the delay between them, ms. A sandbox that has just started responds slowly. */
const [PATIENCE, WAIT_MS] = [3, 2_000];
const isPassing = (error: unknown) => error instanceof ApiError && (error.status === 503 || error.status === 504);

/** Runs each set-up step once, as soon as the previous one is done. */
function usePlaySetup(onDone: () => void) {
  const session = useSession();
  const isDemo = useWallet().wallet?.adapter.name === DEMO_WALLET_NAME;
  const { step, wallet, connect, connectError, signIn, createServiceWallet } = session;
  const [failure, setFailure] = useState<unknown>(null);
  const begun = useRef<string | null>(null);
  const waits = useRef(0);
  const now = isDemo ? step : "other-wallet";
  const take = async () => {
    begun.current = now;
    setFailure(null);
    try {
      if (now === "other-wallet" || now === "connect") connect(DEMO_WALLET_NAME);
      else if (now === "sign-in") await signIn();
      else if (now === "service-wallet") await createServiceWallet();
      else if (now === "ready" && wallet) {
        await fillIfEmpty(wallet);
        onDone();
      }
    } catch (error) {
      if (!isPassing(error) || waits.current >= PATIENCE) return setFailure(error);
      waits.current += 1;
      setTimeout(() => waits.current <= PATIENCE && void take(), WAIT_MS);
    }
  };
  useEffect(() => {
    waits.current = 0;
    return () => {
      waits.current = PATIENCE + 1;
    };
  }, []);
  const error = failure ?? connectError;
  useEffect(() => {
    if (begun.current !== now && error === null) void take();
  });
  return {
    session,
    isDemo,
    error,
    retry: () => {
      waits.current = 0;
      void take();
    },
  };
}

/** Funds an empty wallet and makes payments whose change can be saved. Skips a wallet that already has money. */
async function fillIfEmpty(address: string): Promise<void> {
  const { pendingLamports } = await readPath<typeof getPortfolioContract>(portfolioPath(address));
  if (pendingLamports > 0) return;
  await calls.post("/api/sandbox/airdrop", { address, sol: GIFT_SOL, history: true });
  refreshWallets(address);
}
