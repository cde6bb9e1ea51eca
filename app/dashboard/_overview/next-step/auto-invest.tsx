"use client";

import Link from "next/link";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useGuards } from "@/app/_client/local-storage/guards";
import { type InvestChoice, listAllocations, useInvestChoice } from "@/app/_client/local-storage/invest-choice";
import { useWeekly } from "@/app/_client/local-storage/weekly-topup";
import { useReadySession } from "@/app/_client/wallet/session";
import { Fold } from "@/app/_components/fold";
import { formatUsd } from "@/app/_components/money";
import { Switch } from "@/app/_components/switch";
import { useTask } from "@/app/_components/use-task";
import { ServiceKeyFailure } from "@/app/dashboard/_flow/service-key-note";
import { setAutoInvest, useIsAutoInvestOn } from "./use-auto-invest";

/** Switches auto-invest. A reload drops the service key, so it is then paused until the wallet signs again. */
export function AutoInvest({ children }: { children: ReactNode }) {
  const { wallet, hasServiceKey, getServiceKey } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const choice = useInvestChoice(wallet);
  const isTurnedOn = useIsAutoInvestOn(wallet);
  const [weekly] = useWeekly(wallet);
  const isOn = isTurnedOn && hasServiceKey;
  const status = isOn ? "on" : isTurnedOn ? "paused" : "off";
  const { run: turnOn, isBusy, error } = useTask(() => getServiceKey().then(() => setAutoInvest(wallet)));
  const switchAutoInvest = () => (isOn ? setAutoInvest(null) : turnOn());
  const { sectionRef, isLinked } = useLinkTarget();
  return (
    <section ref={sectionRef} className="mt-4">
      <Fold
        title="Automatic"
        hint={`Auto-invest (${status}) and weekly top-up${weekly ? " (on)" : ""}`}
        className="pt-1 pb-3"
        isOpen={isLinked}
      >
        <div className="mt-4">
          <Switch label="Auto-invest" isOn={isOn} disabled={isBusy} onChange={switchAutoInvest}>
            Buys {describeBoughtAssets(choice)} whenever you reach {formatUsd(thresholdUsd)}, without another review.
            Stays on until you close or reload this tab.{" "}
            <Link href="/dashboard/invest" prefetch={false} className="text-accent underline underline-offset-2">
              Change what it buys
            </Link>
          </Switch>
        </div>
        {error !== null && <ServiceKeyFailure error={error} retry={turnOn} />}
        <div className="mt-4 border-line border-t py-4">{children}</div>
      </Fold>
    </section>
  );
}

/** Scrolls to the section if the URL names it, and focuses its fold. It loads too late for the browser to do so. */
function useLinkTarget() {
  const sectionRef = useRef<HTMLElement>(null);
  const [isLinked] = useState(() => location.hash === "#automatic");
  useEffect(() => {
    if (!isLinked) return;
    sectionRef.current?.scrollIntoView({ behavior: "instant" });
    sectionRef.current?.querySelector("summary")?.focus({ preventScroll: true });
  }, [isLinked]);
  return { sectionRef, isLinked };
}

export const describeBoughtAssets = (choice: InvestChoice): string =>
  listAllocations(choice)
    .flatMap(({ asset }) => (asset === (choice.payWith ?? "SOL") ? [] : [asset]))
    .join(", ");
