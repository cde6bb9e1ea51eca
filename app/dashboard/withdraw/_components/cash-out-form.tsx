"use client";

import { loadInvestChoice } from "@/app/_client/local-storage/invest-choice";
import type { Portfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";
import { replaceLamports } from "@/app/_components/coins";
import { formatUsd } from "@/app/_components/money";
import { FlowForm } from "@/app/dashboard/_flow/flow-form";
import { UnfinishedNote } from "@/app/dashboard/_flow/unfinished-note";
import type { FlowHandle } from "@/app/dashboard/_flow/use-flow";
import { TopupChoice } from "@/app/dashboard/_saving/topup/topup-choice";
import type { Topup } from "@/app/dashboard/_saving/topup/use-topup";
import { type SaleTarget, TRADED_ASSETS, type TradedAsset } from "@/lib/domain/assets";
import { ceilToCents } from "@/lib/domain/money";
import type { CashOutBuild, CashOutRecord, CashOutRequest } from "@/lib/sdk/flow/cash-out";
import { DestinationField } from "./destination-field";
import { joinTokenNames } from "./stranded-tokens";
import type { WithdrawFormProps } from "./withdraw-form";

export type CashOut = FlowHandle<CashOutRequest, CashOutBuild, CashOutRecord>;

/** Returns the assets to sell so that everything is withdrawn as `into`. */
export const listAssetsToSell = ({ balances }: Portfolio, into: SaleTarget): TradedAsset[] =>
  TRADED_ASSETS.filter((asset) => asset !== into && balances.some((balance) => balance.asset === asset));

interface Props extends Omit<WithdrawFormProps, "withdrawal"> {
  cashOut: CashOut;
  into: SaleTarget;
}

/** Shows the form that sells everything and sends the proceeds, with one review. */
export function CashOutForm({ cashOut, destinationInput, portfolio, into, topup, receiveSwitch }: Props) {
  const { flow, unfinishedRecord } = cashOut;
  const { wallet } = useReadySession();
  const assets = listAssetsToSell(portfolio, into);

  const startWithdrawal = async () => {
    const destination = await destinationInput.checkDestination();
    if (destination === null || unfinishedRecord) return;
    void flow.start({ destination, into, assets, slippageBps: loadInvestChoice(wallet).slippageBps });
  };
  return (
    <FlowForm
      {...cashOut}
      title="Amount"
      isFailureExplained={destinationInput.isFailureExplained}
      onSubmit={() => void startWithdrawal()}
      isChecking={destinationInput.isChecking}
      submitLabel="Review the withdrawal"
      renderNotReady={(build) => <CannotSell build={build} topup={topup} />}
    >
      {unfinishedRecord && (
        <div className="-mt-5 mb-5">
          <UnfinishedNote
            flow={flow}
            record={unfinishedRecord}
            title="A withdrawal is not finished"
            text="The rest is still in your savings wallet. You can continue where it stopped."
          />
        </div>
      )}
      {receiveSwitch}
      <p className="mt-3 text-soft">
        {assets.length > 0
          ? `Your ${joinTokenNames(assets)} ${assets.length > 1 ? "are" : "is"} sold for ${into}.`
          : `There is nothing to sell for ${into}.`}{" "}
        {into === "USDC" ? "All your USDC is sent, and your SOL as SOL." : "Then all your SOL is sent."}
      </p>
      <DestinationField input={destinationInput} />
    </FlowForm>
  );
}

/**
 * Explains why an asset cannot be sold, and that it can be withdrawn as it is.
 * @param topup offers to add the missing amount; absent where that is not possible
 */
export function CannotSell({ build, topup }: { build: CashOutBuild; topup?: Topup }) {
  const neededUsd = build.sales.reduce((maxUsd, sale) => Math.max(maxUsd, sale.neededUsd), 0);
  return (
    <Notice role="alert" tone="warn" title="This cannot be sold now">
      <p>
        {replaceLamports(build.reason ?? "")}
        {neededUsd > 0 && ` That is ${formatUsd(ceilToCents(neededUsd))}.`} You can also withdraw your coins without
        selling them.
      </p>
      {topup && neededUsd > 0 && (
        <div className="mt-3">
          <TopupChoice topup={topup} missingUsd={neededUsd} />
        </div>
      )}
    </Notice>
  );
}
