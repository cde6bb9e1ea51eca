import type { ReactNode } from "react";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Sol, Usdc, UsdcAndSol } from "@/app/_components/coins";
import { formatPercent, UsdAmount } from "@/app/_components/money";
import { Success } from "@/app/dashboard/_flow/result";
import { DepositLine, Review, SolRow, UsdcAccountDeposit, WorthRow } from "@/app/dashboard/_flow/review";
import { fromMicroUsd, lamportsToUsd, roundToMicro } from "@/lib/domain/money";
import { roundToSum, toShownCents } from "@/lib/domain/shown-sum";
import type { WrapBreakdown, WrapRecord } from "@/lib/sdk/flow/wraps";
import type { PayTerms } from "@/lib/sdk/requests";
import { MAX_PRIORITY_FEE_LAMPORTS } from "@/lib/solana/compute-budget";
import { LAMPORTS_PER_SOL } from "@/lib/solana/lamports";
import { computeHighestRent } from "@/lib/solana/rent";

/** The highest priority fee, SOL, that this page accepts in a transaction. */
const MAX_PRIORITY_FEE_SOL = Number(MAX_PRIORITY_FEE_LAMPORTS) / Number(LAMPORTS_PER_SOL);

interface Props {
  breakdown: WrapBreakdown;
  /** Words for the amount that the fee is a part of, like "the change". */
  feeBase: string;
  by: PayTerms["by"];
}

export function SaveBreakdown({ breakdown, feeBase, by }: Props) {
  const { serviceFeeLamports, networkFeeLamports, solPriceUsd, tokenAccountDepositLamports } = breakdown;
  const { userInvestmentUnits, serviceFeeUnits, roundUpUnits, totalLamports } = breakdown;
  const savingsPortfolio = usePortfolio(useReadySession().serviceWallet).data;
  const depositLamports = computeWalletDepositLamports(breakdown, savingsPortfolio?.pendingLamports === 0);
  const shownUsd = roundWrap(breakdown);
  const details = (
    <>
      <dl>
        <WorthRow
          label="Service fee"
          hint={`${formatPercent(breakdown.serviceFeePercent / 100)} of ${feeBase}`}
          usd={shownUsd?.serviceFeeUsd}
        >
          <UsdcAndSol units={serviceFeeUnits} lamports={serviceFeeLamports} />
        </WorthRow>
        <SolRow
          label="Network fee"
          hint={`To Solana, for one signature.${by ? "" : ` Your wallet may raise it by up to ${MAX_PRIORITY_FEE_SOL} SOL.`}`}
          lamports={networkFeeLamports}
          usd={shownUsd?.networkFeeUsd}
        />
      </dl>
      <p className="text-soft">This page has checked that the transaction does only this.</p>
    </>
  );
  return (
    <Review testId="save-breakdown" details={details}>
      <WorthRow isPart label="Into your savings wallet" usd={shownUsd?.arrivedUsd}>
        <UsdcAndSol units={userInvestmentUnits} lamports={computeArrivedLamports(breakdown)} />
      </WorthRow>
      <DepositLine
        lamports={depositLamports}
        usd={solPriceUsd && shownUsd && Math.min(lamportsToUsd(depositLamports, solPriceUsd), shownUsd.arrivedUsd)}
        label="Includes a refundable account deposit"
        hint="Returned when you leave."
        isPart={false}
      />
      <UsdcAccountDeposit lamports={tokenAccountDepositLamports} usd={shownUsd?.depositUsd} />
      <WorthRow isPart label="Fees" usd={shownUsd?.feesUsd}>
        <UsdcAndSol units={serviceFeeUnits} lamports={serviceFeeLamports + networkFeeLamports} />
      </WorthRow>
      <WorthRow
        label={by ? "You pay" : "Leaves your main wallet"}
        hint={by ? "The SOL is paid by your savings wallet" : "Fees included, rounded up"}
        usd={shownUsd?.totalUsd}
        isTotal
      >
        <UsdcAndSol units={roundUpUnits} lamports={totalLamports} />
      </WorthRow>
    </Review>
  );
}

interface SavedNoteProps extends Omit<Props, "breakdown"> {
  records: WrapRecord[];
  children?: ReactNode;
}

/** Shows what arrived and what was paid. By allowance there was no review, so every amount is shown. */
export function SavedNote({ records, by, feeBase, children }: SavedNoteProps) {
  const { arrivedLamports, arrivedUnits, arrivedUsd, depositLamports, accountDepositLamports, paidUsd, feesUsd } =
    sumSavings(records);
  return (
    <>
      <Success amount={<UsdAmount usd={arrivedUsd} />}>
        <p>
          {arrivedUnits > 0 && <Usdc units={arrivedUnits} />}
          {arrivedUnits > 0 && arrivedLamports > 0 && " and "}
          {(arrivedLamports > 0 || arrivedUnits === 0) && <Sol lamports={arrivedLamports} />} arrived in your savings
          wallet.
          {depositLamports > 0 && (
            <>
              {" "}
              <Sol lamports={depositLamports} /> of it is Solana’s account deposit; you get it back.
            </>
          )}
          {accountDepositLamports > 0 && (
            <>
              {" "}
              Up to <Sol lamports={accountDepositLamports} /> opened its USDC account; you get it back.
            </>
          )}
        </p>
        <p>
          You paid <UsdAmount usd={paidUsd} />, including <UsdAmount usd={feesUsd} /> of fees.
        </p>
        {children}
      </Success>
      {by && records.map(({ breakdown }, i) => <SaveBreakdown key={i} {...{ breakdown, feeBase, by }} />)}
    </>
  );
}

/**
 * Rounds a saving or a top-up for its review and its receipt. Returns null while no price is known.
 * @returns the USD to display. `arrivedUsd` includes the deposit of a saving in SOL; `depositUsd` opens the savings
 * wallet's USDC account. Both and `feesUsd` add up to `totalUsd`
 */
export function roundWrap(breakdown: WrapBreakdown) {
  const { solPriceUsd, serviceFeeLamports, networkFeeLamports, tokenAccountDepositLamports } = breakdown;
  if (solPriceUsd === null) return null;
  const toUsd = (lamports: number) => lamportsToUsd(lamports, solPriceUsd);
  // One base unit of USDC is a micro-dollar: the service saves in USDC only while it is worth a dollar.
  const { parts: partsUsd, totalUsd } = roundToSum([
    { usd: toUsd(computeArrivedLamports(breakdown)) + fromMicroUsd(BigInt(breakdown.userInvestmentUnits)) },
    { usd: toUsd(tokenAccountDepositLamports) },
    { usd: toUsd(serviceFeeLamports) + fromMicroUsd(BigInt(breakdown.serviceFeeUnits)), isCost: true },
    { usd: toUsd(networkFeeLamports), isCost: true },
  ]);
  const [arrivedUsd, depositUsd, serviceFeeUsd, networkFeeUsd] = partsUsd as [number, number, number, number];
  const feesUsd = (toShownCents(serviceFeeUsd) + toShownCents(networkFeeUsd)) / 100;
  return { arrivedUsd, depositUsd, feesUsd, serviceFeeUsd, networkFeeUsd, totalUsd };
}

/** Returns the lamports that reach the savings wallet, as the chain and the activity list show. */
const computeArrivedLamports = ({ userInvestmentLamports, activationLamports }: WrapBreakdown): number =>
  userInvestmentLamports + activationLamports;

/** Returns the most lamports of this saving that Solana keeps as a deposit. The first saving pays it. */
const computeWalletDepositLamports = (breakdown: WrapBreakdown, isFirst: boolean): number =>
  isFirst || breakdown.activationLamports > 0
    ? Math.min(computeArrivedLamports(breakdown), Number(computeHighestRent(0n)))
    : 0;

/** USD to display; null while no price is known. `paidUsd` includes the fees. */
const EMPTY_USD_SUMS: Record<"arrivedUsd" | "paidUsd" | "feesUsd", number | null> = {
  arrivedUsd: 0,
  paidUsd: 0,
  feesUsd: 0,
};

/** Adds up several savings, as their reviews displayed them. */
export function sumSavings(records: WrapRecord[]) {
  const sums = {
    /** Lamports that reached the savings wallet, the deposit included. */
    arrivedLamports: 0,
    /** Base units of USDC that reached it. */
    arrivedUnits: 0,
    /** Lamports of `arrivedLamports` that are a deposit. Only the deposit of a saving with an activation is known. */
    depositLamports: 0,
    /** The most lamports that opened the savings wallet's USDC account. `arrivedLamports` does not include them. */
    accountDepositLamports: 0,
    ...EMPTY_USD_SUMS,
  };
  for (const { breakdown } of records) {
    const shownUsd = roundWrap(breakdown);
    sums.arrivedLamports += computeArrivedLamports(breakdown);
    sums.arrivedUnits += breakdown.userInvestmentUnits;
    sums.depositLamports += computeWalletDepositLamports(breakdown, false);
    sums.accountDepositLamports += breakdown.tokenAccountDepositLamports;
    sums.arrivedUsd = addKnown(sums.arrivedUsd, shownUsd?.arrivedUsd);
    sums.paidUsd = addKnown(sums.paidUsd, shownUsd?.totalUsd);
    sums.feesUsd = addKnown(sums.feesUsd, shownUsd?.feesUsd);
  }
  return sums;
}

const addKnown = (sumUsd: number | null, usd: number | undefined) =>
  sumUsd === null || usd === undefined ? null : roundToMicro(sumUsd + usd);
