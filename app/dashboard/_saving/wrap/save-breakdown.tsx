import { AmountRow } from "@/app/_components/card";
import { formatPercent } from "@/app/_components/money";
import { DepositLine, Review, SolWorth } from "@/app/dashboard/_flow/review";
import { lamportsToUsd } from "@/lib/domain/money";
import { roundKnownToSum, toShownCents } from "@/lib/domain/shown-sum";
import type { WrapBreakdown } from "@/lib/sdk/flow/save";
import { MAX_PRIORITY_FEE_LAMPORTS } from "@/lib/solana/compute-budget";
import { LAMPORTS_PER_SOL } from "@/lib/solana/lamports";

/** Highest priority fee that transaction verification accepts, SOL. */
const RAISE_SOL = Number(MAX_PRIORITY_FEE_LAMPORTS) / Number(LAMPORTS_PER_SOL);

/**
 * Shows every lamport of a save.
 * @param feeOf what the fee is a part of
 */
export function SaveBreakdown({ breakdown, feeOf }: { breakdown: WrapBreakdown; feeOf: string }) {
  const { solPriceUsd, serviceFeeLamports, networkFeeLamports, activationLamports } = breakdown;
  const toUsd = (lamports: number) => (solPriceUsd === null ? null : lamportsToUsd(lamports, solPriceUsd));
  const change = roundKnownToSum(
    [{ usd: toUsd(breakdown.userInvestmentLamports) }, { usd: toUsd(serviceFeeLamports), cost: true }],
    breakdown.roundUpUsd,
  );
  const sum =
    change &&
    roundKnownToSum([
      { usd: change.parts[0]! },
      { usd: toUsd(activationLamports), cost: true },
      { usd: toUsd(networkFeeLamports), cost: true },
      { usd: change.parts[1]!, cost: true },
    ]);
  const [keptUsd = null, depositUsd = null, networkUsd = null, serviceUsd = null] = sum?.parts ?? [];
  const fees = serviceFeeLamports + networkFeeLamports;
  const feesUsd = (toShownCents(networkUsd ?? 0) + toShownCents(serviceUsd ?? 0)) / 100 || toUsd(fees);
  const details = (
    <>
      <dl>
        <AmountRow label="Service fee" hint={`${formatPercent(breakdown.serviceFeePercent / 100)} of ${feeOf}`}>
          <SolWorth lamports={serviceFeeLamports} usd={serviceUsd} />
        </AmountRow>
        <AmountRow
          label="Network fee"
          hint={`To Solana, for one signature. Your wallet may raise it by up to ${RAISE_SOL} SOL.`}
        >
          <SolWorth lamports={networkFeeLamports} usd={networkUsd} />
        </AmountRow>
      </dl>
      <p className="text-soft">This page has checked that the transaction does only this.</p>
    </>
  );
  return (
    <Review testId="save-breakdown" details={details}>
      <AmountRow isPart label="Into your savings wallet">
        <SolWorth lamports={breakdown.userInvestmentLamports} usd={keptUsd} />
      </AmountRow>
      <AmountRow isPart label="Fees">
        <SolWorth lamports={fees} usd={feesUsd} />
      </AmountRow>
      {activationLamports > 0 && (
        <DepositLine
          lamports={activationLamports}
          usd={depositUsd}
          hint="Solana asks every account for it, once. Returned when you withdraw everything."
        />
      )}
      <AmountRow label="Leaves your main wallet" isTotal>
        <SolWorth lamports={breakdown.totalLamports} usd={sum?.totalUsd ?? null} />
      </AmountRow>
    </Review>
  );
}
