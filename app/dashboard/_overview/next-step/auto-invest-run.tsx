"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useCallback, useEffect, useEffectEvent, useRef } from "react";
import { StorageError } from "@/app/_client/local-storage/browser-storage";
import { useGuards } from "@/app/_client/local-storage/guards";
import { type InvestChoice, listAllocations, useInvestChoice } from "@/app/_client/local-storage/invest-choice";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, QuietButton, SecondaryButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { useIsSheetOpen } from "@/app/_components/close-on-back";
import { replaceLamports } from "@/app/_components/coins";
import { formatUsd, UsdAmount } from "@/app/_components/money";
import { useCountdown } from "@/app/_components/use-countdown";
import { useIsOnline } from "@/app/_components/use-is-online";
import { useTask } from "@/app/_components/use-task";
import { computeKeptBackUsd } from "@/app/dashboard/_components/pending-card";
import { BUSY_PHASES } from "@/app/dashboard/_components/tab-flows";
import { useChosenPortfolio, useReadiness } from "@/app/dashboard/_components/use-readiness";
import { Investments } from "@/app/dashboard/_flow/investments";
import { ServiceKeyFailure } from "@/app/dashboard/_flow/service-key-note";
import { useServiceFlow } from "@/app/dashboard/_flow/use-flow";
import { createInvestSpec } from "@/lib/sdk/flow/invest";
import { describeDoubts } from "@/lib/sdk/prices/guard";
import { describeBoughtAssets } from "./auto-invest";
import { confirmOrClose } from "./confirm-or-close";
import { reportAutoInvest, setAutoInvest, useAutoInvestReport } from "./use-auto-invest";

/** Seconds of notice before an automatic investment: enough to read the notice and stop it. */
const NOTICE_S = 10;

/** Auto-invest waits on these pages, because the person moves the same money there. */
const WAITING_PAGES = ["/dashboard/invest", "/dashboard/withdraw"];

const turnOff = () => setAutoInvest(null);

/** Says on every page that auto-invest is on, and invests once the person's threshold is reached. */
export function AutoInvestRun({ isTurnedOn }: { isTurnedOn: boolean }) {
  const { hasServiceKey } = useReadySession();
  const path = usePathname();
  if (isTurnedOn && !hasServiceKey) return <PausedNotice />;
  if (WAITING_PAGES.includes(path)) return isTurnedOn && <OnNote>It waits while you are on this page.</OnNote>;
  return <AutoInvestProgress isOn={isTurnedOn} />;
}

function OnNote({ children }: { children: ReactNode }) {
  return (
    <div data-testid="auto-invest-on" className="mb-4 flex items-center justify-between gap-3 text-sm">
      <p className="text-soft">
        <span className="font-medium text-ink">Auto-invest is on.</span> {children}
      </p>
      <QuietButton className="-my-2 -mr-4 shrink-0" onClick={turnOff}>
        Turn off
      </QuietButton>
    </div>
  );
}

/** Says that a reload paused auto-invest: it dropped the service key from the page's memory. */
function PausedNotice() {
  const { wallet, getServiceKey } = useReadySession();
  const { run: turnOn, isBusy, error } = useTask(() => getServiceKey().then(() => setAutoInvest(wallet)));
  return (
    <Notice
      role="status"
      className="mb-4"
      tone="warn"
      title="Auto-invest is paused"
      action={
        <>
          <SecondaryButton isBusy={isBusy} onClick={turnOn}>
            Resume
          </SecondaryButton>
          <QuietButton onClick={turnOff}>Turn off</QuietButton>
        </>
      }
    >
      <p>After a reload, your wallet has to sign again.</p>
      {error !== null && <ServiceKeyFailure error={error} retry={turnOn} />}
    </Notice>
  );
}

const PHASES_THAT_NEED_A_PERSON: readonly string[] = ["failed", "unknown", "elsewhere"];

function AutoInvestProgress({ isOn }: { isOn: boolean }) {
  const { wallet } = useReadySession();
  const { countdown, thresholdUsd, step, waitReason, stopReason, record, close } = useAutoInvestRun(isOn);
  const announcements: Partial<Record<typeof step, string>> = {
    due: `${formatUsd(countdown.amountUsd)} will be invested in ${NOTICE_S} seconds.`,
    busy: "Investing.",
    done: "Invested automatically.",
    stopped: "Auto-invest turned off.",
  };
  return (
    <>
      {isOn && (
        <OnNote>{waitReason ?? `Buys ${countdown.boughtNames} when you reach ${formatUsd(thresholdUsd)}.`}</OnNote>
      )}
      <p role="status" className="sr-only">
        {announcements[step]}
      </p>
      {step === "done" && record && (
        <Notice
          className="mb-4"
          tone="good"
          title="Invested automatically"
          action={<SecondaryButton onClick={close}>Close</SecondaryButton>}
        >
          <Investments record={record} />
        </Notice>
      )}
      {step === "stopped" && (
        <Notice
          className="mb-4"
          tone="warn"
          title="Auto-invest turned off"
          action={
            <>
              <Button
                onClick={() => {
                  close();
                  setAutoInvest(wallet);
                }}
              >
                Turn on again
              </Button>
              <QuietButton onClick={close}>Close</QuietButton>
            </>
          }
        >
          <p>{stopReason}</p>
        </Notice>
      )}
      {/* Stays in sight wherever the person has scrolled to, above the phone's tab bar. */}
      <div className="fixed inset-x-4 bottom-21 z-30 rounded-xl bg-card not-empty:shadow-lg sm:inset-x-auto sm:right-6 sm:bottom-6 sm:w-96">
        {step === "due" && <Countdown {...countdown} />}
        {step === "busy" && (
          <Notice title="Investing">
            <p>Keep this tab open until it is done.</p>
          </Notice>
        )}
      </div>
    </>
  );
}

/** Runs automatic investments. The returned `step` says what to show. */
function useAutoInvestRun(isOn: boolean) {
  const { wallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const choice = useInvestChoice(wallet);
  const portfolio = useChosenPortfolio();
  const isReady = useReadiness()?.isReady;
  const isSheetOpen = useIsSheetOpen();
  const isOnline = useIsOnline();
  const { flow, state, unfinishedRecord } = useServiceFlow(createInvestSpec, { resumesInFlight: false });
  const { phase, record, build, doubts, error, signError } = state;
  const { stopReason, refusal } = useAutoInvestReport(wallet);
  /** The time of the newest portfolio that was read while an investment ran. Only a newer one is invested. */
  const usedAsOfRef = useRef(refusal?.asOf);
  if (phase !== "idle" && phase !== "done") usedAsOfRef.current = portfolio?.asOf;
  const confirmedBuildRef = useRef<unknown>(null);
  /** True once auto-invest has started an investment. Before that, the person started what runs. */
  const isOwnRunRef = useRef(false);
  const stop = useCallback(
    (reason: string) => {
      reportAutoInvest(wallet, { stopReason: reason });
      turnOff();
    },
    [wallet],
  );
  useEffect(() => {
    if (isOn && phase === "review" && doubts.length > 0) stop(describeDoubts(doubts));
    if (isOn && signError instanceof StorageError) stop(signError.message);
    // Never signs a review that the person opened on the invest page.
    confirmedBuildRef.current = confirmOrClose(flow, isOn && isOwnRunRef.current, confirmedBuildRef.current);
  }, [isOn, phase, build, doubts, signError, flow, stop]);
  useEffect(() => {
    // The person may have finished, on the invest page, the investment at which auto-invest stopped.
    if (phase === "done") reportAutoInvest(wallet, { stopReason: null });
  }, [phase, wallet]);
  useEffect(() => {
    if (!isOn) return;
    if (PHASES_THAT_NEED_A_PERSON.includes(phase)) stop(error?.message ?? "An investment is not finished.");
    // A refusal is not a failure: auto-invest waits for a newer portfolio.
    if (phase !== "refused") return;
    const reason = replaceLamports(build?.reason ?? "");
    reportAutoInvest(wallet, { refusal: { reason, asOf: usedAsOfRef.current } });
    flow.close();
  });
  const isPortfolioUsed = portfolio && usedAsOfRef.current && portfolio.asOf <= usedAsOfRef.current;
  const canStart = (phase === "idle" || phase === "done") && unfinishedRecord === null && !isSheetOpen && isOnline;
  const chooseStep = () => {
    if (isOn && canStart && isReady && !isPortfolioUsed) return "due";
    if (isOwnRunRef.current && BUSY_PHASES.includes(phase)) return "busy";
    if (isOwnRunRef.current && phase === "done") return "done";
    return stopReason === null ? "none" : "stopped";
  };
  const invest = () => {
    isOwnRunRef.current = true;
    reportAutoInvest(wallet, { stopReason: null, refusal: null });
    const { slippageBps, payWith } = choice;
    void flow.start({ allocations: listAllocations(choice), slippageBps, thresholdUsd, payWith: payWith ?? undefined });
  };
  return {
    step: chooseStep(),
    countdown: {
      keptBackUsd: portfolio ? computeKeptBackUsd(portfolio) : null,
      amountUsd: ((portfolio?.investableUsd ?? 0) * sumBoughtPercent(choice)) / 100,
      boughtNames: describeBoughtAssets(choice),
      onEnd: invest,
    },
    thresholdUsd,
    stopReason,
    record,
    waitReason: unfinishedRecord
      ? "It waits until your last investment is finished."
      : isPortfolioUsed
        ? (refusal?.reason ?? null)
        : null,
    close() {
      reportAutoInvest(wallet, { stopReason: null });
      flow.close();
    },
  };
}

/** Returns the percentage of the investable amount that buys coins. The rest is kept. */
const sumBoughtPercent = (choice: InvestChoice): number =>
  listAllocations(choice).reduce((sum, { asset, pct }) => sum + (asset === (choice.payWith ?? "SOL") ? 0 : pct), 0);

interface CountdownProps {
  amountUsd: number;
  /** USD kept for account deposits, fees and Solana's minimum for a wallet; null if unknown. */
  keptBackUsd: number | null;
  boughtNames: string;
  onEnd: () => void;
}

function Countdown({ amountUsd, keptBackUsd, boughtNames, onEnd }: CountdownProps) {
  const secondsLeft = useCountdown(NOTICE_S, null);
  const handleEnd = useEffectEvent(onEnd);
  useEffect(() => {
    if (secondsLeft === 0) handleEnd();
  }, [secondsLeft]);
  return (
    <Notice
      title={`${formatUsd(amountUsd)} will be invested in ${secondsLeft} s`}
      action={<SecondaryButton onClick={turnOff}>Stop auto-invest</SecondaryButton>}
    >
      <p>
        Buys {boughtNames}. Another <UsdAmount usd={keptBackUsd} /> is kept for refundable account deposits and network
        fees.
      </p>
    </Notice>
  );
}
