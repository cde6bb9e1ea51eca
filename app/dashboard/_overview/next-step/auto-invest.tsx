"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useGuards } from "@/app/_client/local-storage/guards";
import { storedChoice } from "@/app/_client/local-storage/invest-choice";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, ButtonLink } from "@/app/_components/button";
import { Card, Notice } from "@/app/_components/card";
import { Coins, usdText } from "@/app/_components/money";
import { Switch } from "@/app/_components/switch";
import { useServiceFlow } from "@/app/dashboard/_flow/use-flow";
import { investSpec } from "@/lib/sdk/flow/invest";
import { doubtText } from "@/lib/sdk/prices/guard";
import type { Portfolio } from "../../_components/balances";
import { readiness } from "../../_components/investable";
import { confirmOrClose } from "./confirm-or-close";

/** Seconds of notice before an automatic investment: enough to read the notice and stop it. */
const NOTICE_S = 10;

/**
 * Invests at the threshold while this page is open. Always starts switched off, because the key is in memory only and a
 * reload drops it.
 */
export function AutoInvest({ portfolio }: { portfolio: Portfolio }) {
  const { wallet, serviceKey, hasServiceKey } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const [wanted, setWanted] = useState(false);
  const [asking, setAsking] = useState(false);
  const on = wanted && hasServiceKey;
  const turnOff = useCallback(() => setWanted(false), []);
  const turn = async () => {
    if (on) return setWanted(false);
    setAsking(true);
    try {
      await serviceKey();
      setWanted(true);
    } catch {
      // The person declined; the switch stays off.
    }
    setAsking(false);
  };
  return (
    <Card className="mt-4">
      <div className="flex items-center justify-between gap-4">
        <div>
          <p className="font-medium">Invest by itself</p>
          <p className="text-sm text-soft">
            At {usdText(thresholdUsd)}, as chosen under Invest, while this page is open. Your wallet may ask once.
          </p>
        </div>
        <Switch label="Invest by itself" on={on} disabled={asking} onChange={() => void turn()} />
      </div>
      <div role="status" className="not-empty:mt-4">
        <Course portfolio={portfolio} on={on} turnOff={turnOff} />
      </div>
    </Card>
  );
}

/** Shows an automatic investment before, during and after it runs. */
function Course({ portfolio, on, turnOff }: { portfolio: Portfolio; on: boolean; turnOff: () => void }) {
  const { wallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const { flow, state, unfinished } = useServiceFlow(investSpec);
  const { phase, record, build, doubts } = state;
  const due = on && unfinished === null && readiness(portfolio, thresholdUsd)?.ready === true && isFree(phase);
  const confirmed = useRef<unknown>(null);
  const [doubt, setDoubt] = useState<string | null>(null);

  useEffect(() => {
    if (!due) return;
    const timer = setTimeout(() => {
      setDoubt(null);
      const { kind, asset, legs, slippageBps } = storedChoice(wallet);
      const chosen = kind === "one" ? [{ asset, pct: 100 }] : legs;
      void flow.start({ legs: chosen, slippageBps, thresholdUsd });
    }, NOTICE_S * 1000);
    return () => clearTimeout(timer);
  }, [due, wallet, flow, thresholdUsd]);
  useEffect(() => {
    if (on && phase === "review" && doubts.length > 0) {
      setDoubt(doubtText(doubts));
      turnOff();
    }
    confirmed.current = confirmOrClose(flow, on, confirmed.current);
  }, [on, phase, build, doubts, flow, turnOff]);

  if (due) {
    return (
      <Notice title={`${usdText(portfolio.investableUsd ?? 0)} will be invested in ${NOTICE_S} seconds`}>
        <Button variant="secondary" className="mt-3" onClick={turnOff}>
          Stop
        </Button>
      </Notice>
    );
  }
  if (phase === "building" || phase === "review" || phase === "asking" || phase === "running") {
    return <p className="text-soft">Investing. Keep this page open until it is done.</p>;
  }
  if (phase === "done" && record) {
    return (
      <Notice tone="good" title="Invested by itself">
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
  if (phase === "idle" && doubt === null && (!on || !unfinished)) return null;
  return (
    <Notice
      tone="warn"
      title="It did not invest by itself"
      action={<ButtonLink href="/dashboard/invest">Look at it</ButtonLink>}
    >
      <p>{doubt ?? state.error?.message ?? state.build?.reason ?? "An investment is not finished."}</p>
    </Notice>
  );
}

const isFree = (phase: string) => phase === "idle" || phase === "done";
