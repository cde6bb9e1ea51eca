"use client";

import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { useGuards } from "@/app/_client/local-storage/guards";
import { loadChoice } from "@/app/_client/local-storage/invest-choice";
import type { Portfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Coins } from "@/app/_components/coins";
import { Fold } from "@/app/_components/fold";
import { formatUsd } from "@/app/_components/money";
import { Switch } from "@/app/_components/switch";
import { ServiceKeyFailure } from "@/app/dashboard/_flow/service-key-note";
import { useServiceFlow } from "@/app/dashboard/_flow/use-flow";
import { createInvestSpec } from "@/lib/sdk/flow/invest";
import { describeDoubts } from "@/lib/sdk/prices/guard";
import { computeReadiness } from "../../_components/investable";
import { confirmOrClose } from "./confirm-or-close";

/** Seconds of notice before an automatic investment: enough to read the notice and stop it. */
const NOTICE_S = 10;

/**
 * Invests at the threshold while this page is open. Always starts switched off, because the key is in memory only and a
 * reload drops it.
 * @param children further automatic actions, folded together with this one
 */
export function AutoInvest({ portfolio, children }: { portfolio: Portfolio; children: ReactNode }) {
  const { wallet, getServiceKey, hasServiceKey } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const [wanted, setWanted] = useState(false);
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const on = wanted && hasServiceKey;
  const turnOff = useCallback(() => setWanted(false), []);
  const switchAutoInvest = async () => {
    if (on) return setWanted(false);
    setAsking(true);
    setError(null);
    try {
      await getServiceKey();
      setWanted(true);
    } catch (cause) {
      setError(cause);
    }
    setAsking(false);
  };
  return (
    <section className="mt-4">
      <Fold title="Automatic" hint={`Auto-invest (${on ? "on" : "off"}) and weekly buying`} className="pt-1 pb-3">
        <div className="mt-4">
          <Switch label="Auto-invest" on={on} disabled={asking} onChange={() => void switchAutoInvest()}>
            Buys {describeChoice(loadChoice(wallet))} whenever you reach {formatUsd(thresholdUsd)}, only while this page
            is open.
          </Switch>
        </div>
        {error !== null && <ServiceKeyFailure error={error} retry={() => void switchAutoInvest()} />}
        <div className="mt-4 border-line border-t py-4">{children}</div>
      </Fold>
      <div role="status" className="not-empty:my-2">
        <AutoInvestProgress portfolio={portfolio} on={on} turnOff={turnOff} />
      </div>
    </section>
  );
}

const describeChoice = ({ kind, asset, legs }: ReturnType<typeof loadChoice>): string =>
  kind === "one" ? asset : legs.flatMap((leg) => (leg.asset === "SOL" ? [] : [leg.asset])).join(", ");

/** Shows an automatic investment before, during and after it runs. */
function AutoInvestProgress({ portfolio, on, turnOff }: { portfolio: Portfolio; on: boolean; turnOff: () => void }) {
  const { wallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const { flow, state, unfinished } = useServiceFlow(createInvestSpec);
  const { phase, record, build, doubts } = state;
  const due = on && unfinished === null && computeReadiness(portfolio, thresholdUsd)?.ready === true && isFree(phase);
  const confirmed = useRef<unknown>(null);
  const [doubt, setDoubt] = useState<string | null>(null);

  useEffect(() => {
    if (!due) return;
    const timer = setTimeout(() => {
      setDoubt(null);
      const { kind, asset, legs, slippageBps } = loadChoice(wallet);
      const chosen = kind === "one" ? [{ asset, pct: 100 }] : legs;
      void flow.start({ legs: chosen, slippageBps, thresholdUsd });
    }, NOTICE_S * 1000);
    return () => clearTimeout(timer);
  }, [due, wallet, flow, thresholdUsd]);
  useEffect(() => {
    if (on && phase === "review" && doubts.length > 0) {
      setDoubt(describeDoubts(doubts));
      turnOff();
    }
    confirmed.current = confirmOrClose(flow, on, confirmed.current);
  }, [on, phase, build, doubts, flow, turnOff]);

  if (due) {
    return (
      <Notice title={`${formatUsd(portfolio.investableUsd ?? 0)} will be invested in ${NOTICE_S} seconds`}>
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
      <Notice tone="good" title="Invested automatically">
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
      title="Auto-invest stopped"
      action={<ButtonLink href="/dashboard/invest">Check now</ButtonLink>}
    >
      <p>{doubt ?? state.error?.message ?? state.build?.reason ?? "An investment is not finished."}</p>
    </Notice>
  );
}

const isFree = (phase: string) => phase === "idle" || phase === "done";
