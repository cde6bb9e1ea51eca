"use client";

import { useSearchParams } from "next/navigation";
import { type ReactNode, useState } from "react";
import { loadInvestChoice } from "@/app/_client/local-storage/invest-choice";
import type { Portfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";
import { replaceLamports } from "@/app/_components/coins";
import { createPart, listSellableAssets } from "@/app/dashboard/_components/part";
import { PartFields, usePart } from "@/app/dashboard/_components/part-fields";
import { FlowForm } from "@/app/dashboard/_flow/flow-form";
import type { Sell } from "@/app/dashboard/_flow/sell-sheet";
import { TopupChoice } from "@/app/dashboard/_saving/topup/topup-choice";
import type { Topup } from "@/app/dashboard/_saving/wrap/use-saving";
import type { SaleTarget, TradedAsset } from "@/lib/domain/assets";
import type { SaleBuild } from "@/lib/sdk/flow/sell";
import { CoinChoice } from "./asset-fields";

interface Props {
  sell: Sell;
  topup: Topup;
  portfolio: Portfolio;
  sideSwitch: ReactNode;
}

export function SellForm({ sell, topup, portfolio, sideSwitch }: Props) {
  const { wallet } = useReadySession();
  const heldAssets = listSellableAssets(portfolio);
  const linkedAsset = useSearchParams().get("sell");
  const initialHolding = heldAssets.find(({ asset }) => asset === linkedAsset) ?? heldAssets[0];
  const { readValidPart, ...fields } = usePart(heldAssets, initialHolding?.asset ?? "BTC");
  const { part, onChange } = fields;
  const isSold = sell.state.phase === "done";
  const [wasSold, setWasSold] = useState(isSold);
  if (isSold !== wasSold) {
    setWasSold(isSold);
    // If the amount of a finished sale stayed in the form, a second click would sell as much again.
    if (isSold) onChange({ ...createPart(part.asset), unit: part.unit });
  }
  const [chosenTarget, setChosenTarget] = useState<SaleTarget>("USDC");
  const into = part.asset === "USDC" ? "SOL" : chosenTarget;
  const startSale = () => {
    const soldPart = readValidPart();
    if (soldPart === null) return;
    const { slippageBps } = loadInvestChoice(wallet);
    const { amountBaseUnits } = soldPart;
    void sell.flow.start({ asset: soldPart.asset as TradedAsset, amountBaseUnits, into, slippageBps });
  };
  return (
    <FlowForm
      {...sell}
      title="Sell"
      onSubmit={startSale}
      submitLabel="Review the sale"
      renderNotReady={(build) => <CannotSell build={build} topup={topup} />}
    >
      {sideSwitch}
      <PartFields {...fields} heldAssets={heldAssets} />
      <CoinChoice label="Receive" isSolOnly={part.asset === "USDC"} value={into} onChange={setChosenTarget} />
    </FlowForm>
  );
}

function CannotSell({ build, topup }: { build: SaleBuild; topup: Topup }) {
  return (
    <Notice
      role="alert"
      tone="warn"
      title={build.neededUsd > 0 ? "Your savings wallet needs a little more SOL" : "This cannot be sold now"}
    >
      <p>{replaceLamports(build.reason ?? "")}</p>
      {build.neededUsd > 0 && (
        <div className="mt-3">
          <TopupChoice topup={topup} missingUsd={build.neededUsd} needsSol />
        </div>
      )}
    </Notice>
  );
}
