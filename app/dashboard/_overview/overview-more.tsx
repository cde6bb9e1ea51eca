import { useMemo } from "react";
import type { Portfolio } from "@/app/_client/queries/queries";
import { useHistory } from "@/app/_client/queries/savings";
import { useReadySession } from "@/app/_client/wallet/session";
import { formatUsd } from "@/app/_components/money";
import { Projection } from "@/app/_components/projection";
import { fromMicroUsd, roundToCents, toMicroUsd } from "@/lib/domain/money";
import { addDeposits, sumHistory } from "../_components/activity-sums";
import { GoalCard } from "./goal/goal-card";
import { OverviewValue } from "./growth/overview-value";
import { computeOwnPace } from "./growth/own-pace";

/** Shows the folded part of the overview: projection, goal, and what the savings consist of. */
export function OverviewMore({ portfolio }: { portfolio: Portfolio | undefined }) {
  return (
    <>
      <OverviewOutlook portfolio={portfolio} />
      <OverviewValue portfolio={portfolio} />
    </>
  );
}

/** Shows the goal, and the projection while something is saved. */
function OverviewOutlook({ portfolio }: { portfolio: Portfolio | undefined }) {
  const { wallet, serviceWallet } = useReadySession();
  const { data: history } = useHistory(serviceWallet);
  const asOfTime = portfolio && Date.parse(portfolio.asOf);
  const pace = useMemo(() => history && asOfTime && computeOwnPace(history, asOfTime), [history, asOfTime]);
  if (!portfolio || !history || !asOfTime || !pace) return null;
  const { totalUsd, solPriceUsd } = portfolio;
  if (totalUsd === null || solPriceUsd === null) return null;
  const sums = sumHistory(history.items);
  const worthMicroUsd = toMicroUsd(roundToCents(addDeposits(totalUsd, sums, solPriceUsd)));
  const { perMonthMicroUsd, isFirstMonth } = pace;
  return (
    <div className="mb-4 grid gap-4 lg:grid-cols-[2fr_1fr]">
      {/* An emptied wallet has no pace that would continue. */}
      {totalUsd > 0 && (
        <Projection startMicroUsd={worthMicroUsd} perMonthMicroUsd={perMonthMicroUsd}>
          <p>
            If you keep adding {formatUsd(fromMicroUsd(perMonthMicroUsd))} a month,{" "}
            {isFirstMonth ? "which is what you added so far" : "as you did until now"}
            {sums.withdrawnUsd > 0 && ", less what you withdrew"}.
          </p>
        </Projection>
      )}
      <GoalCard wallet={wallet} worthMicroUsd={worthMicroUsd} pace={pace} now={asOfTime} />
    </div>
  );
}
