"use client";

import { Notice } from "@/app/_components/card";
import { replaceLamports } from "@/app/_components/coins";
import { FlowForm } from "@/app/dashboard/_flow/flow-form";
import { UnfinishedNote } from "@/app/dashboard/_flow/unfinished-note";
import type { FlowHandle } from "@/app/dashboard/_flow/use-flow";
import type { Topup } from "@/app/dashboard/_saving/wrap/use-saving";
import type { SaleTarget } from "@/lib/domain/assets";
import type { CashOutBuild, CashOutRecord, CashOutRequest } from "@/lib/sdk/flow/cash-out";
import { DestinationField } from "./destination-field";
import { LacksSolNotice, MissingSol, type RefusedWay } from "./not-ready";
import { listAssetsToSell } from "./payable-option";
import { joinTokenNames } from "./withdraw-figures";
import type { WithdrawFormProps } from "./withdraw-form";

/** The words of an interrupted withdrawal, with or without a sale. */
export const UNFINISHED_WORDS = {
  unfinishedTitle: "A withdrawal is not finished",
  remainingText: "The rest is still in your savings wallet. You can continue where it stopped.",
};

export type CashOut = FlowHandle<CashOutRequest, CashOutBuild, CashOutRecord>;

interface Props extends Omit<WithdrawFormProps, "withdrawal"> {
  cashOut: CashOut;
  into: SaleTarget;
}

export function CashOutForm({ cashOut, destinationInput, portfolio, into, topup, receiveAs, receiveSwitch }: Props) {
  const assets = listAssetsToSell(portfolio, into);
  const refusedWay = {
    option: into,
    destination: cashOut.state.record?.request.destination ?? "",
    receiveAs,
  };
  return (
    <FlowForm
      {...cashOut}
      title="Amount"
      isFailureExplained={destinationInput.isFailureExplained}
      onSubmit={() => receiveAs(into)}
      isChecking={destinationInput.isChecking}
      submitLabel="Review the withdrawal"
      renderNotReady={(build) => <CannotSell build={build} offer={{ topup, refusedWay }} />}
    >
      <div className="-mt-5 mb-5 empty:hidden">
        <UnfinishedNote
          handle={cashOut}
          title={UNFINISHED_WORDS.unfinishedTitle}
          text={UNFINISHED_WORDS.remainingText}
        />
      </div>
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

interface CannotSellProps {
  build: CashOutBuild;
  /** Offers another way, or to add the missing SOL. Absent where that is not possible. */
  offer?: { topup: Topup; refusedWay: RefusedWay };
}

export function CannotSell({ build: { sales, withdrawal, reason }, offer }: CannotSellProps) {
  const missingLamports = Math.max(withdrawal?.missingLamports ?? 0, ...sales.map((sale) => sale.neededLamports));
  if (missingLamports > 0 && offer) return <LacksSolNotice missingLamports={missingLamports} {...offer} />;
  return (
    <Notice role="alert" tone="warn" title="This cannot be sold now">
      {missingLamports > 0 ? (
        <MissingSol lamports={missingLamports} />
      ) : (
        <p>{replaceLamports(reason ?? "")} You can also withdraw your coins without selling them.</p>
      )}
    </Notice>
  );
}
