"use client";

import { type ReactNode, useRef, useState } from "react";
import type { Portfolio } from "@/app/_client/queries/queries";
import { SecondaryButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Sol } from "@/app/_components/coins";
import { SegmentedControl } from "@/app/_components/segmented-control";
import {
  buildPartRequest,
  findPartFault,
  type HeldAsset,
  listHeldAssets,
  type Part,
} from "@/app/dashboard/_components/part";
import { PartFields, usePart } from "@/app/dashboard/_components/part-fields";
import { FlowForm } from "@/app/dashboard/_flow/flow-form";
import type { FlowHandle } from "@/app/dashboard/_flow/use-flow";
import type { Topup } from "@/app/dashboard/_saving/wrap/use-saving";
import type { WithdrawalRecord, WithdrawBuild } from "@/lib/sdk/flow/withdraw";
import type { WithdrawRequest } from "@/lib/sdk/requests";
import { DestinationField, type DestinationInput } from "./destination-field";
import { type RefusedWay, WithdrawalNotReadyNotice } from "./not-ready";
import type { ReceiveOption } from "./payable-option";
import { joinTokenNames, LAMPORTS_NEEDED_TO_SEND_TOKENS, listStrandedTokenSymbols } from "./withdraw-figures";

const AMOUNT_KINDS = [
  ["all", "Everything"],
  ["part", "A part"],
] as const;

export interface WithdrawFormProps {
  withdrawal: FlowHandle<WithdrawRequest, WithdrawBuild, WithdrawalRecord>;
  destinationInput: DestinationInput;
  portfolio: Portfolio;
  topup: Topup;
  receiveAs: (option: ReceiveOption) => void;
  /** Control that chooses between keeping the coins and selling them first. Empty when nothing can be sold. */
  receiveSwitch: ReactNode;
}

export function WithdrawForm(props: WithdrawFormProps) {
  const { withdrawal, destinationInput, portfolio, topup, receiveAs, receiveSwitch } = props;
  const heldAssets = listHeldAssets(portfolio);
  const [amountKind, setAmountKind] = useState<(typeof AMOUNT_KINDS)[number][0]>("all");
  const { readValidPart, ...fields } = usePart(heldAssets, heldAssets[0]?.asset ?? "SOL");
  const { part } = fields;
  const request = withdrawal.state.record?.request;
  const refusedWay: RefusedWay | null =
    request?.asset === null ? { option: "coins", destination: request.destination, receiveAs } : null;
  const choiceRef = useRef<HTMLDivElement>(null);

  const startWithdrawal = async () => {
    const partRequest = amountKind === "all" ? { asset: null, amountBaseUnits: null } : readValidPart();
    const destination = await destinationInput.checkDestination();
    if (partRequest !== null && destination !== null) void withdrawal.flow.start({ destination, ...partRequest });
  };
  const chooseAll = () => {
    setAmountKind("all");
    // The pressed button is gone, so move the focus to the choice.
    choiceRef.current?.querySelector("input")?.focus();
  };
  return (
    <FlowForm
      {...withdrawal}
      title="Amount"
      isFailureExplained={destinationInput.isFailureExplained}
      onSubmit={() => void startWithdrawal()}
      isChecking={destinationInput.isChecking}
      submitLabel="Review the withdrawal"
      renderNotReady={(build) => <WithdrawalNotReadyNotice {...{ build, topup, refusedWay }} />}
    >
      <div className="flex flex-wrap gap-3">
        {receiveSwitch}
        <div ref={choiceRef}>
          <SegmentedControl
            label="Everything or a part"
            options={AMOUNT_KINDS}
            value={amountKind}
            onChange={setAmountKind}
          />
        </div>
      </div>
      {amountKind === "all" ? (
        <p className="mt-3 text-soft">
          All your coins, and all your SOL. Refundable account deposits are returned with them.
        </p>
      ) : (
        <>
          <PartFields {...fields} heldAssets={heldAssets} />
          <ShortOfSolNote heldAssets={heldAssets} asset={part.asset} />
          <StrandedNote portfolio={portfolio} heldAssets={heldAssets} part={part} onChooseAll={chooseAll} />
        </>
      )}
      <DestinationField input={destinationInput} />
    </FlowForm>
  );
}

/** Warns before the review that sending a token may need more SOL than the savings wallet has. */
function ShortOfSolNote({ heldAssets, asset }: { heldAssets: HeldAsset[]; asset: string }) {
  const lamports = heldAssets.find((holding) => holding.asset === "SOL")?.amount ?? 0n;
  if (asset === "SOL" || lamports >= LAMPORTS_NEEDED_TO_SEND_TOKENS) return null;
  return (
    <Notice className="mt-4" role="status" tone="warn" title="This may need a little more SOL">
      <p>
        If the receiving wallet has never held {asset}, sending needs about{" "}
        <Sol lamports={LAMPORTS_NEEDED_TO_SEND_TOKENS} />. Your savings wallet has <Sol lamports={lamports} />. If that
        is too little, you can add the rest in the next step.
      </p>
    </Notice>
  );
}

interface StrandedNoteProps {
  portfolio: Portfolio;
  heldAssets: HeldAsset[];
  part: Part;
  onChooseAll: () => void;
}

/** Warns before SOL leaves without the tokens, and offers to withdraw everything. */
function StrandedNote({ portfolio, heldAssets, part, onChooseAll }: StrandedNoteProps) {
  const solHolding = heldAssets.find(({ asset }) => asset === "SOL");
  if (part.asset !== "SOL" || !solHolding || findPartFault(part, heldAssets) !== null) return null;
  const requestedPart = buildPartRequest(part, heldAssets);
  const tokens = listStrandedTokenSymbols(
    portfolio,
    requestedPart,
    solHolding.amount - BigInt(requestedPart.amountBaseUnits ?? solHolding.amount),
  );
  if (tokens.length === 0) return null;
  return (
    <Notice
      testId="stranded-note"
      className="mt-4"
      role="status"
      tone="warn"
      title={`${joinTokenNames(tokens)} will then need SOL to move`}
      action={<SecondaryButton onClick={onChooseAll}>Withdraw everything instead</SecondaryButton>}
    >
      <p>
        Sending tokens needs a little SOL in your savings wallet. Without it, the tokens stay there until you save
        again. Withdraw everything to move tokens and SOL together.
      </p>
    </Notice>
  );
}
