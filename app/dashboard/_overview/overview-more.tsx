import { useMemo } from "react";
import { useHistory } from "@/app/_client/queries/history";
import type { Portfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { formatUsd } from "@/app/_components/money";
import { Projection } from "@/app/_components/projection";
import { fromMicroUsd, toMicroUsd } from "@/lib/domain/money";
import { addDeposits, sumHistory } from "../_components/activity-sums";
import { GoalCard } from "./goal/goal-card";
import { OverviewValue } from "./growth/overview-value";
import { computeOwnPace } from "./growth/own-pace";

/** The folded part of the overview: projection, goal, and what the savings consist of. */
export function OverviewMore({ portfolio }: { portfolio: Portfolio | undefined }) {
  return (
    <>
      <OverviewAhead portfolio={portfolio} />
      <OverviewValue portfolio={portfolio} />
    </>
  );
}

/** Shows the projection and the goal, once something has been saved and its worth is known. */
function OverviewAhead({ portfolio }: { portfolio: Portfolio | undefined }) {
  const { wallet, serviceWallet } = useReadySession();
  const { data: history } = useHistory(serviceWallet);
  const now = portfolio && Date.parse(portfolio.asOf);
  const pace = useMemo(() => history && now && computeOwnPace(history, now), [history, now]);
  if (!portfolio || !history || !now || !pace || history.items.length === 0) return null;
  const { totalUsd, solPriceUsd } = portfolio;
  // An emptied wallet has no pace that would continue.
  if (totalUsd === 0 || totalUsd === null || solPriceUsd === null) return null;
  const worth = toMicroUsd(addDeposits(totalUsd, sumHistory(history.items), solPriceUsd));
  const { perMonthMicroUsd, isFirstMonth } = pace;
  return (
    <div className="mb-4 grid gap-4 lg:grid-cols-[2fr_1fr]">
      <Projection startMicroUsd={worth} perMonthMicroUsd={perMonthMicroUsd}>
        <p>
          If you keep adding {formatUsd(fromMicroUsd(perMonthMicroUsd))} a month,{" "}
          {isFirstMonth ? "which is what you added so far" : "as you did until now"}.
        </p>
      </Projection>
      <GoalCard wallet={wallet} worthMicroUsd={worth} pace={pace} now={now} />
    </div>
  );
}
