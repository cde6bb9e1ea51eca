import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { AmountRow } from "@/app/_components/card";
import { formatPercent } from "@/app/_components/money";
import { DepositLine, Review, SolWorth } from "@/app/dashboard/_flow/review";
import { lamportsToUsd } from "@/lib/domain/money";
import type { WrapBreakdown } from "@/lib/sdk/flow/wraps";
import { MAX_PRIORITY_FEE_LAMPORTS } from "@/lib/solana/compute-budget";
import { LAMPORTS_PER_SOL } from "@/lib/solana/lamports";
import { computeArrivedLamports, computeWalletDepositLamports, roundWrap } from "./saved-totals";

/** The highest priority fee, SOL, that this page accepts in a transaction. */
const MAX_PRIORITY_FEE_SOL = Number(MAX_PRIORITY_FEE_LAMPORTS) / Number(LAMPORTS_PER_SOL);

/**
 * Shows every lamport of a save or a top-up.
 * @param feeBase words for the amount that the fee is a part of, like "the change"
 */
export function SaveBreakdown({ breakdown, feeBase }: { breakdown: WrapBreakdown; feeBase: string }) {
  const { serviceFeeLamports, networkFeeLamports, solPriceUsd } = breakdown;
  const savingsPortfolio = usePortfolio(useReadySession().serviceWallet).data;
  const depositLamports = computeWalletDepositLamports(breakdown, savingsPortfolio?.pendingLamports === 0);
  const shownUsd = roundWrap(breakdown);
  const details = (
    <>
      <dl>
        <AmountRow label="Service fee" hint={`${formatPercent(breakdown.serviceFeePercent / 100)} of ${feeBase}`}>
          <SolWorth lamports={serviceFeeLamports} usd={shownUsd?.serviceFeeUsd} />
        </AmountRow>
        <AmountRow
          label="Network fee"
          hint={`To Solana, for one signature. Your wallet may raise it by up to ${MAX_PRIORITY_FEE_SOL} SOL.`}
        >
          <SolWorth lamports={networkFeeLamports} usd={shownUsd?.networkFeeUsd} />
        </AmountRow>
      </dl>
      <p className="text-soft">This page has checked that the transaction does only this.</p>
    </>
  );
  return (
    <Review testId="save-breakdown" details={details}>
      <AmountRow isPart label="Into your savings wallet">
        <SolWorth lamports={computeArrivedLamports(breakdown)} usd={shownUsd?.arrivedUsd} />
      </AmountRow>
      {depositLamports > 0 && (
        <DepositLine
          lamports={depositLamports}
          usd={solPriceUsd && shownUsd && Math.min(lamportsToUsd(depositLamports, solPriceUsd), shownUsd.arrivedUsd)}
          label="Includes a refundable account deposit"
          hint="Returned when you leave."
          isPart={false}
        />
      )}
      <AmountRow isPart label="Fees">
        <SolWorth lamports={serviceFeeLamports + networkFeeLamports} usd={shownUsd?.feesUsd} />
      </AmountRow>
      <AmountRow label="Leaves your main wallet" hint="Fees included, rounded up" isTotal>
        <SolWorth lamports={breakdown.totalLamports} usd={shownUsd?.totalUsd} />
      </AmountRow>
    </Review>
  );
}
