"use client";

import type { RefObject } from "react";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { AmountRow } from "@/app/_components/card";
import { Sol, Usdc } from "@/app/_components/coins";
import { UsdAmount } from "@/app/_components/money";
import { FlowSheet } from "@/app/dashboard/_flow/flow-sheet";
import { FlowResult, Success, toReceipts } from "@/app/dashboard/_flow/result";
import { Review, SolRow, UsdcAccountDeposit, WorthRow } from "@/app/dashboard/_flow/review";
import { useAutoConfirm } from "@/app/dashboard/_flow/use-flow";
import { lamportsToUsd } from "@/lib/domain/money";
import { roundKnownToSum } from "@/lib/domain/shown-sum";
import type { AllowanceBuild } from "@/lib/sdk/flow/allowance";
import { ShortOfSol } from "../topup/short-of-money";
import { StopElsewhere } from "./stop-elsewhere";
import type { AllowanceFlow, RevocationFlow } from "./use-allowance-flows";

type FinalFocus = RefObject<HTMLElement | null>;

const ALLOWANCE_WORDS = {
  reviewTitle: "Review and sign",
  runningTitle: "Setting the allowance",
  doneTitle: "Allowance set",
  confirmLabel: "Sign and allow",
  failedTitle: "Nothing was changed",
  unknownTitle: "Checking whether it arrived",
};

const RECEIPT_LABEL = "Allowance";

export function AllowanceSheet({ finalFocus, ...handle }: AllowanceFlow & { finalFocus: FinalFocus }) {
  const { flow, state } = handle;
  const done = state.record?.done;
  return (
    <FlowSheet
      {...handle}
      words={ALLOWANCE_WORDS}
      finalFocus={finalFocus}
      opensWithoutForm
      reviewContent={state.build && <AllowanceReview build={state.build} retry={() => void flow.renew(null)} />}
      isBlocked={Boolean(state.build?.blocked)}
      doneContent={
        <FlowResult receipts={toReceipts(RECEIPT_LABEL, done)} onClose={flow.close}>
          <Success amount={<UsdAmount usd={done?.[0]?.about.breakdown.amountUsd} />}>
            <p>
              Your savings wallet may take this much USDC as change. “Save” now asks your wallet for nothing, except
              once after each reload of this page.
            </p>
          </Success>
        </FlowResult>
      }
      isSignedByWallet
    />
  );
}

const useSolPriceUsd = () => usePortfolio(useReadySession().wallet).data?.solPriceUsd ?? null;

function AllowanceReview({ build: { breakdown, blocked }, retry }: { build: AllowanceBuild; retry: () => void }) {
  const solPriceUsd = useSolPriceUsd();
  const { amountUsd, amountUnits, reserveLamports, serviceFeeLamports, tokenAccountDepositLamports } = breakdown;
  const { networkFeeLamports, totalLamports } = breakdown;
  const toUsd = (lamports: number) => (solPriceUsd === null ? null : lamportsToUsd(lamports, solPriceUsd));
  const shownUsd = roundKnownToSum([
    { usd: toUsd(reserveLamports) },
    { usd: toUsd(tokenAccountDepositLamports) },
    { usd: toUsd(serviceFeeLamports + networkFeeLamports), isCost: true },
  ]);
  const details = (
    <>
      <dl>
        <AmountRow label="Service fee" hint="0.25 % of the reserve above Solana’s minimum">
          <Sol lamports={serviceFeeLamports} />
        </AmountRow>
        <AmountRow label="Network fee" hint="To Solana, for one signature.">
          <Sol lamports={networkFeeLamports} />
        </AmountRow>
      </dl>
      <p className="text-soft">This page has checked that the transaction does only this.</p>
    </>
  );
  return (
    <div className="space-y-5">
      {blocked && <ShortOfSol totalLamports={totalLamports} solPriceUsd={solPriceUsd} retry={retry} />}
      <Review testId="allowance-review" details={details}>
        <WorthRow label="Your savings wallet may take, at most" hint="Nothing of it moves now" usd={amountUsd}>
          <Usdc units={amountUnits} />
        </WorthRow>
        {reserveLamports > 0 && (
          <SolRow
            isPart
            label="Reserve"
            hint="Into your savings wallet: Solana’s minimum, and about 20 network fees"
            lamports={reserveLamports}
            usd={shownUsd?.parts[0]}
          />
        )}
        <UsdcAccountDeposit lamports={tokenAccountDepositLamports} usd={shownUsd?.parts[1]} />
        <SolRow isPart label="Fees" lamports={serviceFeeLamports + networkFeeLamports} usd={shownUsd?.parts[2]} />
        <SolRow label="Leaves your main wallet now" isTotal lamports={totalLamports} usd={shownUsd?.totalUsd} />
      </Review>
    </div>
  );
}

const REVOCATION_WORDS = {
  ...ALLOWANCE_WORDS,
  runningTitle: "Stopping",
  doneTitle: "Stopped",
  confirmLabel: "Sign and stop",
};

/** Runs the end of an allowance in a sheet. The click on "Stop" is the review: the transaction moves nothing. */
export function RevocationSheet({ finalFocus, ...handle }: RevocationFlow & { finalFocus: FinalFocus }) {
  const { flow, state } = handle;
  useAutoConfirm(flow, state, true);
  const solPriceUsd = useSolPriceUsd();
  const { build } = state;
  return (
    <FlowSheet
      {...handle}
      words={REVOCATION_WORDS}
      finalFocus={finalFocus}
      opensWithoutForm
      reviewContent={
        build && (
          <div className="space-y-5">
            {build.blocked && (
              <ShortOfSol
                totalLamports={build.breakdown.totalLamports}
                solPriceUsd={solPriceUsd}
                retry={() => void flow.renew(null)}
              />
            )}
            <dl>
              <AmountRow label="Ends your allowance" hint="Your savings wallet can take nothing by itself any more">
                <Sol lamports={0} />
              </AmountRow>
              <AmountRow label="Network fee">
                <Sol lamports={build.breakdown.networkFeeLamports} />
              </AmountRow>
            </dl>
          </div>
        )
      }
      isBlocked={Boolean(build?.blocked)}
      failureAction={<StopElsewhere />}
      doneContent={
        <FlowResult receipts={toReceipts(RECEIPT_LABEL, state.record?.done)} onClose={flow.close}>
          <p>Your savings wallet can take nothing by itself any more. Your main wallet signs each saving.</p>
        </FlowResult>
      }
      isSignedByWallet
    />
  );
}
