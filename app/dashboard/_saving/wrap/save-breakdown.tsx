import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { AmountRow } from "@/app/_components/card";
import { UsdcAndSol } from "@/app/_components/coins";
import { formatPercent } from "@/app/_components/money";
import { DepositLine, Review, SolWorth, Worth } from "@/app/dashboard/_flow/review";
import { lamportsToUsd } from "@/lib/domain/money";
import type { WrapBreakdown } from "@/lib/sdk/flow/wraps";
import type { PayTerms } from "@/lib/sdk/requests";
import { MAX_PRIORITY_FEE_LAMPORTS } from "@/lib/solana/compute-budget";
import { LAMPORTS_PER_SOL } from "@/lib/solana/lamports";
import { computeArrivedLamports, computeWalletDepositLamports, roundWrap } from "./saved-totals";

/** The highest priority fee, SOL, that this page accepts in a transaction. */
const MAX_PRIORITY_FEE_SOL = Number(MAX_PRIORITY_FEE_LAMPORTS) / Number(LAMPORTS_PER_SOL);

interface Props {
  breakdown: WrapBreakdown;
  /** Words for the amount that the fee is a part of, like "the change". */
  feeBase: string;
  by: PayTerms["by"];
}

/** Shows every base unit of a save or a top-up. */
export function SaveBreakdown({ breakdown, feeBase, by }: Props) {
  const { serviceFeeLamports, networkFeeLamports, solPriceUsd, tokenAccountDepositLamports } = breakdown;
  const { userInvestmentUnits, serviceFeeUnits, roundUpUnits, totalLamports } = breakdown;
  const savingsPortfolio = usePortfolio(useReadySession().serviceWallet).data;
  const depositLamports = computeWalletDepositLamports(breakdown, savingsPortfolio?.pendingLamports === 0);
  const shownUsd = roundWrap(breakdown);
  const details = (
    <>
      <dl>
        <AmountRow label="Service fee" hint={`${formatPercent(breakdown.serviceFeePercent / 100)} of ${feeBase}`}>
          <Worth usd={shownUsd?.serviceFeeUsd}>
            <UsdcAndSol units={serviceFeeUnits} lamports={serviceFeeLamports} />
          </Worth>
        </AmountRow>
        <AmountRow
          label="Network fee"
          hint={`To Solana, for one signature.${by ? "" : ` Your wallet may raise it by up to ${MAX_PRIORITY_FEE_SOL} SOL.`}`}
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
        <Worth usd={shownUsd?.arrivedUsd}>
          <UsdcAndSol units={userInvestmentUnits} lamports={computeArrivedLamports(breakdown)} />
        </Worth>
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
      {tokenAccountDepositLamports > 0 && (
        <DepositLine
          lamports={tokenAccountDepositLamports}
          usd={shownUsd?.depositUsd}
          label="Refundable deposit"
          hint="Opens your savings wallet’s USDC account. Returned when you close it."
        />
      )}
      <AmountRow isPart label="Fees">
        <Worth usd={shownUsd?.feesUsd}>
          <UsdcAndSol units={serviceFeeUnits} lamports={serviceFeeLamports + networkFeeLamports} />
        </Worth>
      </AmountRow>
      <AmountRow
        label={by ? "You pay" : "Leaves your main wallet"}
        hint={by ? "The SOL is paid by your savings wallet" : "Fees included, rounded up"}
        isTotal
      >
        <Worth usd={shownUsd?.totalUsd}>
          <UsdcAndSol units={roundUpUnits} lamports={totalLamports} />
        </Worth>
      </AmountRow>
    </Review>
  );
}
