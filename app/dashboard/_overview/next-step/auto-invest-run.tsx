"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { useGuards } from "@/app/_client/local-storage/guards";
import { toLegs, useInvestChoice } from "@/app/_client/local-storage/invest-choice";
import { useReadySession } from "@/app/_client/wallet/session";
import { useIsSheetOpen } from "@/app/_components/back-closes";
import { Button, ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Coins, replaceLamports } from "@/app/_components/coins";
import { formatUsd, Usd } from "@/app/_components/money";
import { useCountdown } from "@/app/_components/use-countdown";
import { computeKeptBackUsd } from "@/app/dashboard/_components/balances";
import { computeReadiness } from "@/app/dashboard/_components/investable";
import { BUSY_PHASES } from "@/app/dashboard/_components/tab-flows";
import { useChosenPortfolio } from "@/app/dashboard/_components/use-readiness";
import { ServiceKeyFailure } from "@/app/dashboard/_flow/service-key-note";
import { useServiceFlow } from "@/app/dashboard/_flow/use-flow";
import { createInvestSpec, type InvestRequest, type Leg, type PurchaseRecord } from "@/lib/sdk/flow/invest";
import type { FlowRecord } from "@/lib/sdk/flow/record";
import { describeDoubts } from "@/lib/sdk/prices/guard";
import { describeLegs } from "./auto-invest";
import { confirmOrClose } from "./confirm-or-close";
import { setAutoInvest, useTurnOn } from "./use-auto-invest";

/** Seconds of notice before an automatic investment: enough to read the notice and stop it. */
const NOTICE_S = 10;

/** Auto-invest waits on these pages: the person moves the same money there. */
const WAITING_PAGES = ["/dashboard/invest", "/dashboard/withdraw"];

const turnOff = () => setAutoInvest(null);

/** Shows on every page that auto-invest is on, and invests once the person's threshold is reached. */
export function AutoInvestRun({ isWanted }: { isWanted: boolean }) {
  const { hasServiceKey } = useReadySession();
  const path = usePathname();
  if (isWanted && !hasServiceKey) return <Paused />;
  if (WAITING_PAGES.includes(path)) return isWanted && <OnNote>It waits while you are on this page.</OnNote>;
  return <AutoRun isOn={isWanted} />;
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

/** Says that a reload paused auto-invest, because the page's memory held the service key. */
function Paused() {
  const { turnOn, isAsking, error } = useTurnOn();
  return (
    <Notice
      role="status"
      className="mb-4"
      tone="warn"
      title="Auto-invest is paused"
      action={
        <>
          <Button variant="secondary" busy={isAsking} onClick={turnOn}>
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
const STOPPED_PHASES: readonly string[] = ["failed", "unknown", "elsewhere"];

/** Shows an automatic investment before, during and after it runs. */
function AutoRun({ isOn }: { isOn: boolean }) {
  const { wallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const choice = useInvestChoice(wallet);
  const { amountUsd, keptBackUsd, step, waitingFor, stopReason, invest, record, close } = useAutoRun(isOn);
  const boughtNames = describeLegs(choice);
  const announcements: Partial<Record<typeof step, string>> = {
    due: `${formatUsd(amountUsd)} will be invested in ${NOTICE_S} seconds.`,
    busy: "Investing.",
    done: "Invested automatically.",
    stopped: "Auto-invest turned off.",
  };
  return (
    <>
      {isOn && <OnNote>{waitingFor ?? `Buys ${boughtNames} when you reach ${formatUsd(thresholdUsd)}.`}</OnNote>}
      <p role="status" className="sr-only">
        {announcements[step]}
      </p>
      {step === "done" && record && <Bought record={record} onClose={close} />}
      {step === "stopped" && (
        <Notice
          className="mb-4"
          tone="warn"
          title="Auto-invest turned off"
          action={
            <>
              <ButtonLink href="/dashboard/invest">Check now</ButtonLink>
              <Button variant="quiet" onClick={close}>
                Close
              </Button>
            </>
          }
        >
          <p>{stopReason}</p>
        </Notice>
      )}
      {/* In sight wherever the person has scrolled to, above the phone's tab bar. Covers the page for seconds only. */}
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

/** Runs the automatic investment. `step` says what to show. */
function useAutoRun(isOn: boolean) {
  const { wallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const choice = useInvestChoice(wallet);
  const portfolio = useChosenPortfolio();
  const isSheetOpen = useIsSheetOpen();
  const { flow, state, unfinished } = useServiceFlow(createInvestSpec);
  const { phase, record, build, doubts, error } = state;
  const [stopReason, setStopReason] = useState<string | null>(null);
  const [refusalReason, setRefusalReason] = useState<string | null>(null);
  /** The time of the portfolio that was known while an investment ran. Only a newer one starts the next investment. */
  const usedAsOf = useRef<string>(undefined);
  if (phase !== "idle" && phase !== "done") usedAsOf.current = portfolio?.asOf;
  const confirmedBuild = useRef<unknown>(null);
  const isOwnRun = useRef(false);
  const stop = useCallback((reason: string) => {
    setStopReason(reason);
    turnOff();
  }, []);
  useEffect(() => {
    if (isOn && phase === "review" && doubts.length > 0) stop(describeDoubts(doubts));
    // Never signs a review that the person opened on the invest page.
    confirmedBuild.current = confirmOrClose(flow, isOn && isOwnRun.current, confirmedBuild.current);
  }, [isOn, phase, build, doubts, flow, stop]);
  useEffect(() => {
    if (!isOn) return;
    if (STOPPED_PHASES.includes(phase)) stop(error?.message ?? "An investment is not finished.");
    if (phase !== "refused") return;
    setRefusalReason(replaceLamports(build?.reason ?? ""));
    flow.close();
  });
  const isUsed = portfolio?.asOf === usedAsOf.current;
  const isReady = portfolio && computeReadiness(portfolio, thresholdUsd)?.isReady;
  const isFree = (phase === "idle" || phase === "done") && unfinished === null && !isSheetOpen;
  const findStep = () => {
    if (isOn && isFree && isReady && !isUsed) return "due";
    if (isOwnRun.current && BUSY_PHASES.includes(phase)) return "busy";
    if (isOwnRun.current && phase === "done") return "done";
    return stopReason === null ? "none" : "stopped";
  };
  return {
    step: findStep(),
    keptBackUsd: portfolio ? computeKeptBackUsd(portfolio) : null,
    amountUsd: ((portfolio?.investableUsd ?? 0) * sumBoughtPercent(toLegs(choice))) / 100,
    stopReason,
    record,
    waitingFor: unfinished ? "It waits until your last investment is finished." : isUsed ? refusalReason : null,
    invest() {
      isOwnRun.current = true;
      setStopReason(null);
      setRefusalReason(null);
      void flow.start({ legs: toLegs(choice), slippageBps: choice.slippageBps, thresholdUsd });
    },
    close() {
      setStopReason(null);
      flow.close();
    },
  };
}

/** Returns the percentage of the investable amount that buys coins. The rest of an allocation stays SOL. */
const sumBoughtPercent = (legs: readonly Leg[]): number =>
  legs.reduce((sum, { asset, pct }) => sum + (asset === "SOL" ? 0 : pct), 0);

/** Lists what an automatic investment bought. */
function Bought({ record, onClose }: { record: FlowRecord<InvestRequest, PurchaseRecord>; onClose: () => void }) {
  return (
    <Notice
      className="mb-4"
      tone="good"
      title="Invested automatically"
      action={
        <Button variant="secondary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <ul>
        {record.done.map(({ about, txSignature }) => (
          <li key={txSignature}>
            About <Coins amount={about.expected} decimals={about.decimals} symbol={about.asset} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

interface CountdownProps {
  amountUsd: number;
  /** USD of the balance that pays account deposits and network fees, or stays; null if unknown. */
  keptBackUsd: number | null;
  /** Names of the coins that it buys. */
  boughtNames: string;
  onEnd: () => void;
}

/** Counts down to the investment. Mounting starts it. */
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
        Buys {boughtNames}. Another <Usd value={keptBackUsd} /> is kept for refundable account deposits and network
        fees.
      </p>
    </Notice>
  );
}
