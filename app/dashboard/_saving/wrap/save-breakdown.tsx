import { Line } from "@/app/_components/card";
import { percentText, Sol, sumShown } from "@/app/_components/money";
import { Review, Worth } from "@/app/dashboard/_flow/review";
import { lamportsToUsd } from "@/lib/domain/money";
import type { WrapBreakdown } from "@/lib/sdk/flow/save";
import { MAX_PRIORITY_FEE_LAMPORTS } from "@/lib/solana/compute-budget";
import { LAMPORTS_PER_SOL } from "@/lib/solana/lamports";
import { feeBetween } from "./saved-totals";

/** Highest priority fee that transaction verification accepts, SOL. */
const RAISE_SOL = Number(MAX_PRIORITY_FEE_LAMPORTS) / Number(LAMPORTS_PER_SOL);

/**
 * Shows every lamport of a save.
 * @param feeOf what the fee is a part of
 */
export function SaveBreakdown({ breakdown, feeOf }: { breakdown: WrapBreakdown; feeOf: string }) {
  const { solPriceUsd, serviceFeeLamports, networkFeeLamports, activationLamports } = breakdown;
  const usdOf = (lamports: number) => (solPriceUsd === null ? null : lamportsToUsd(lamports, solPriceUsd));
  const amount = (lamports: number, usd = usdOf(lamports)) => (
    <Worth usd={usd}>
      <Sol lamports={lamports} />
    </Worth>
  );
  const keptUsd = usdOf(breakdown.userInvestmentLamports);
  const fees = serviceFeeLamports + networkFeeLamports;
  const feesUsd =
    keptUsd === null ? null : feeBetween(breakdown.roundUpUsd + usdOf(networkFeeLamports)!, keptUsd, usdOf(fees)!);
  const totalUsd = sumShown([keptUsd, usdOf(activationLamports), feesUsd]);
  const details = (
    <>
      <dl>
        <Line label="Service fee" hint={`${percentText(breakdown.serviceFeePercent / 100)} of ${feeOf}`}>
          {amount(serviceFeeLamports)}
        </Line>
        <Line
          label="Network fee"
          hint={`To Solana, for one signature. Your wallet may raise it by up to ${RAISE_SOL} SOL.`}
        >
          {amount(networkFeeLamports)}
        </Line>
      </dl>
      {activationLamports > 0 && (
        <p className="text-soft">
          The deposit, once: every account on Solana keeps a minimum. It stays yours and comes back when you withdraw
          everything.
        </p>
      )}
      <p className="text-soft">This page has checked that the transaction does only this.</p>
    </>
  );
  return (
    <Review testId="save-breakdown" details={details}>
      <Line label="Into your savings wallet">{amount(breakdown.userInvestmentLamports)}</Line>
      {activationLamports > 0 && <Line label="Deposit there, yours">{amount(activationLamports)}</Line>}
      <Line label="Fees">{amount(fees, feesUsd)}</Line>
      <Line label="Leaves your main wallet" strong>
        {amount(breakdown.totalLamports, totalUsd)}
      </Line>
    </Review>
  );
}
