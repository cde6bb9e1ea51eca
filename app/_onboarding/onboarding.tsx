"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useRef } from "react";
import { isSandbox } from "@/app/_client/network";
import { DONE_STEP_COUNTS, type SessionStep, useSession } from "@/app/_client/wallet/session";
import { readLastWallet } from "@/app/_client/wallet/session-end";
import { CheckMark } from "@/app/_components/check-mark";
import { ConnectStep } from "./connect";
import { ForgetBrowser } from "./forget-browser";
import { SetupLayout } from "./setup-layout";
import { ServiceWalletStep, SignInStep } from "./sign";

const STEPS = [
  ["Connect", ""],
  ["Sign in", "One signature"],
  ["Savings wallet", "Two signatures"],
] as const;

interface Props {
  onConnect: () => void;
  onCreate: () => void;
}

export function Onboarding({ onConnect, onCreate }: Props) {
  const { step, wallet, serviceWallet } = useSession();
  // The service wallet exists already. A new tab needs only the sign-in, and after a sign-out also the wallet.
  const isReturning = step === "connect" ? readLastWallet() !== null : step === "sign-in" && serviceWallet !== null;
  const isTransactionPage = usePathname().startsWith("/tx/");
  return (
    <SetupLayout>
      <h1 className="text-2xl font-semibold sm:text-3xl">{isReturning ? "Welcome back" : "Set up in three steps"}</h1>
      <p className="mt-2 text-soft">
        {isSandbox() ? "All money here is play money." : "Nothing is charged, and no key ever leaves your wallet."}
      </p>
      {isTransactionPage && (
        <p className="mt-2">Then this page shows the transaction, if one of your wallets made it.</p>
      )}
      {!isReturning && <Stepper doneCount={DONE_STEP_COUNTS[step]} />}
      <StepPanel step={step}>
        {step === "sign-in" ? (
          <SignInStep key={wallet} />
        ) : step === "service-wallet" ? (
          <ServiceWalletStep key={wallet} onCreate={onCreate} />
        ) : (
          <ConnectStep onConnect={onConnect} />
        )}
      </StepPanel>
      {isReturning && (
        <div className="mt-6">
          <ForgetBrowser />
        </div>
      )}
    </SetupLayout>
  );
}

/** Screen readers and keyboards continue at the new step. */
function StepPanel({ step, children }: { step: SessionStep; children: ReactNode }) {
  const panelRef = useRef<HTMLDivElement>(null);
  const stepNumber = DONE_STEP_COUNTS[step];
  const shownNumberRef = useRef(stepNumber);
  useEffect(() => {
    if (shownNumberRef.current === stepNumber) return;
    shownNumberRef.current = stepNumber;
    panelRef.current?.focus();
  }, [stepNumber]);
  return (
    <div ref={panelRef} tabIndex={-1} className="mt-6 outline-none">
      {children}
    </div>
  );
}

/** Small screens show only the names. */
function Stepper({ doneCount }: { doneCount: number }) {
  return (
    <ol aria-label="Steps" className="mt-6 grid grid-cols-3 gap-2 sm:gap-4">
      {STEPS.map(([title, note], i) => {
        const state = i < doneCount ? "done" : i === doneCount ? "now" : "next";
        return (
          <li
            key={title}
            aria-current={state === "now" ? "step" : undefined}
            className={`flex items-start gap-x-3 gap-y-1 border-t-4 pt-2.5 max-sm:flex-col ${state === "next" ? "border-line text-soft" : "border-accent"}`}
          >
            <span
              aria-hidden="true"
              className={`grid size-7 shrink-0 place-items-center rounded-full text-sm font-semibold ${STEP_CLASSES[state]}`}
            >
              {state === "done" ? <CheckMark /> : i + 1}
            </span>
            <span>
              <span className="block font-medium max-sm:text-sm sm:leading-7">
                {title}
                <span className="sr-only">{state === "done" ? " (done)" : state === "now" ? " (now)" : ""}</span>
              </span>
              <span className="block text-sm text-soft max-sm:sr-only">{note}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}

const STEP_CLASSES = {
  done: "bg-accent text-accent-ink",
  now: "bg-accent-wash text-accent",
  next: "bg-raised text-soft",
};
