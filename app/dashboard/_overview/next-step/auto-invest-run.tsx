"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useCallback, useEffect, useEffectEvent, useRef } from "react";
import { StorageError } from "@/app/_client/local-storage/browser-storage";
import { useGuards } from "@/app/_client/local-storage/guards";
import { type InvestChoice, listAllocations, useInvestChoice } from "@/app/_client/local-storage/invest-choice";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { useIsSheetOpen } from "@/app/_components/close-on-back";
import { replaceLamports } from "@/app/_components/coins";
import { formatUsd, UsdAmount } from "@/app/_components/money";
import { useCountdown } from "@/app/_components/use-countdown";
import { useIsOnline } from "@/app/_components/use-is-online";
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
import { reportAutoInvest, setAutoInvest, useAutoInvestReport, useAutoInvestStart } from "./use-auto-invest";

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
      <Button variant="quiet" className="-my-2 -mr-4 shrink-0" onClick={turnOff}>
        Turn off
      </Button>
    </div>
  );
}

/** Says that a reload paused auto-invest: it dropped the service key from the page's memory. */
function PausedNotice() {
  const { turnOn, isAsking, error } = useAutoInvestStart();
  return (
    <Notice
      role="status"
      className="mb-4"
      tone="warn"
      title="Auto-invest is paused"
      action={
        <>
          <Button variant="secondary" isBusy={isAsking} onClick={turnOn}>
            Resume
          </Button>
          <Button variant="quiet" onClick={turnOff}>
            Turn off
          </Button>
        </>
      }
    >
      <p>After a reload, your wallet has to sign again.</p>
      {error !== null && <ServiceKeyFailure error={error} retry={turnOn} />}
    </Notice>
  );
}

/** Phases in which an investment needs a person. */
const PHASES_THAT_NEED_A_PERSON: readonly string[] = ["failed", "unknown", "elsewhere"];

/** Shows an automatic investment before, during and after it runs. */
function AutoInvestProgress({ isOn }: { isOn: boolean }) {
  const { wallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const choice = useInvestChoice(wallet);
  const { amountUsd, keptBackUsd, step, waitReason, stopReason, invest, record, close } = useAutoInvestRun(isOn);
  const boughtNames = describeBoughtAssets(choice);
  const announcements: Partial<Record<typeof step, string>> = {
    due: `${formatUsd(amountUsd)} will be invested in ${NOTICE_S} seconds.`,
    busy: "Investing.",
    done: "Invested automatically.",
    stopped: "Auto-invest turned off.",
  };
  return (
    <>
      {isOn && <OnNote>{waitReason ?? `Buys ${boughtNames} when you reach ${formatUsd(thresholdUsd)}.`}</OnNote>}
      <p role="status" className="sr-only">
        {announcements[step]}
      </p>
      {step === "done" && record && (
        <Notice
          className="mb-4"
          tone="good"
          title="Invested automatically"
          action={
            <Button variant="secondary" onClick={close}>
              Close
            </Button>
          }
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
              <Button variant="quiet" onClick={close}>
                Close
              </Button>
            </>
          }
        >
          <p>{stopReason}</p>
        </Notice>
      )}
      {/* Stays in sight wherever the person has scrolled to, above the phone's tab bar. */}
      <div className="fixed inset-x-4 bottom-21 z-30 rounded-xl bg-card not-empty:shadow-lg sm:inset-x-auto sm:right-6 sm:bottom-6 sm:w-96">
        {step === "due" && (
          <Countdown amountUsd={amountUsd} keptBackUsd={keptBackUsd} boughtNames={boughtNames} onEnd={invest} />
        )}
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
  const { flow, state, unfinishedRecord } = useServiceFlow(createInvestSpec);
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
  return {
    step: chooseStep(),
    keptBackUsd: portfolio ? computeKeptBackUsd(portfolio) : null,
    amountUsd: ((portfolio?.investableUsd ?? 0) * sumBoughtPercent(choice)) / 100,
    stopReason,
    record,
    waitReason: unfinishedRecord
      ? "It waits until your last investment is finished."
      : isPortfolioUsed
        ? (refusal?.reason ?? null)
        : null,
    invest() {
      isOwnRunRef.current = true;
      reportAutoInvest(wallet, { stopReason: null, refusal: null });
      void flow.start({
        allocations: listAllocations(choice),
        slippageBps: choice.slippageBps,
        thresholdUsd,
        payWith: choice.payWith ?? undefined,
      });
    },
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
  /** Names of the coins that it buys. */
  boughtNames: string;
  onEnd: () => void;
}

/** Counts down to the investment. Mounting starts the countdown. */
function Countdown({ amountUsd, keptBackUsd, boughtNames, onEnd }: CountdownProps) {
  const secondsLeft = useCountdown(NOTICE_S, null);
  const handleEnd = useEffectEvent(onEnd);
  useEffect(() => {
    if (secondsLeft === 0) handleEnd();
  }, [secondsLeft]);
  return (
    <Notice
      title={`${formatUsd(amountUsd)} will be invested in ${secondsLeft} s`}
      action={
        <Button variant="secondary" onClick={turnOff}>
          Stop auto-invest
        </Button>
      }
    >
      <p>
        Buys {boughtNames}. Another <UsdAmount usd={keptBackUsd} /> is kept for refundable account deposits and network
        fees.
      </p>
    </Notice>
  );
}
