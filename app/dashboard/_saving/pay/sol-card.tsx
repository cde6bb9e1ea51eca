"use client";

import { useRef } from "react";
import { loadInvestChoice } from "@/app/_client/local-storage/invest-choice";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { SecondaryButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { replaceLamports, Sol } from "@/app/_components/coins";
import { CopyButton } from "@/app/_components/copy-button";
import { formatUsd } from "@/app/_components/money";
import { SkeletonLines } from "@/app/_components/skeleton";
import { ReadView } from "@/app/_components/state-view";
import { SellSheet } from "@/app/dashboard/_flow/sell-sheet";
import { UnfinishedNote } from "@/app/dashboard/_flow/unfinished-note";
import { useWalletFlow } from "@/app/dashboard/_flow/use-flow";
import { ceilToCents, toMicroUsd } from "@/lib/domain/money";
import { createSellSpec, type SaleBuild } from "@/lib/sdk/flow/sell";
import { computeUsdcUsd } from "@/lib/sdk/pay-with";
import { computeSolOfferUsd } from "./balances";

/** Sells USDC of the main wallet for the SOL that network fees and deposits take. */
export function SolCard() {
  const { wallet } = useReadySession();
  const read = usePortfolio(wallet);
  const sale = useWalletFlow((seller, _serviceWallet, network) => createSellSpec(seller, network));
  const headingRef = useRef<HTMLHeadingElement>(null);
  const { flow, state, unfinishedRecord } = sale;
  const start = (amountUsd: number) =>
    void flow.start({
      asset: "USDC",
      into: "SOL",
      amountBaseUnits: String(toMicroUsd(amountUsd)),
      slippageBps: loadInvestChoice(wallet).slippageBps,
    });
  return (
    <Card>
      <h2 id="sol" ref={headingRef} tabIndex={-1} className="mb-3 text-lg font-semibold outline-none">
        SOL for fees
      </h2>
      <UnfinishedNote
        handle={sale}
        title="Your last sale here is not finished"
        text="Check it before you sell again."
      />
      <ReadView
        read={read}
        failureTitle="Your main wallet cannot be read right now"
        loading={<SkeletonLines lines={2} label="Reading your main wallet" />}
      >
        {(portfolio) => {
          const offerUsd = computeSolOfferUsd(portfolio.solPriceUsd);
          const isAffordable = offerUsd !== null && computeUsdcUsd(portfolio) >= offerUsd;
          return (
            <>
              <p className="text-sm text-soft">
                Your main wallet holds <Sol lamports={portfolio.pendingLamports} />. Solana takes network fees and
                refundable deposits in SOL, also when you save USDC.
              </p>
              {isAffordable && (
                <SecondaryButton
                  className="mt-4"
                  isBusy={state.phase === "building"}
                  disabled={unfinishedRecord !== null}
                  onClick={() => start(offerUsd)}
                >
                  Get SOL for {formatUsd(offerUsd)} of USDC
                </SecondaryButton>
              )}
            </>
          );
        }}
      </ReadView>
      <SellSheet
        sell={sale}
        finalFocus={headingRef}
        isMainWallet
        refusedContent={state.build && <CannotSell build={state.build} />}
      />
    </Card>
  );
}

/** Says what the sale itself takes. A wallet with less can only receive SOL from elsewhere. */
function CannotSell({ build: { neededLamports, neededUsd, reason } }: { build: SaleBuild }) {
  const { wallet } = useReadySession();
  if (neededLamports === 0) return <p>{replaceLamports(reason ?? "")}</p>;
  return (
    <>
      <p>
        The sale opens an account for a moment, and your main wallet lacks <Sol lamports={neededLamports} /> (
        {formatUsd(ceilToCents(neededUsd))}) for that. All but the network fee returns with the sale. Send that much to
        your main wallet, then try again.
      </p>
      <CopyButton className="mt-3" text={wallet} label="Copy my address to send SOL to" />
    </>
  );
}
