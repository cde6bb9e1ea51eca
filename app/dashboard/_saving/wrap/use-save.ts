"use client";

import { recordSavedAmount } from "@/app/_client/local-storage/guards";
import { followSavedAsset } from "@/app/_client/local-storage/invest-choice";
import { recordSavedLines, recordSaveStart } from "@/app/_client/local-storage/purchase-list";
import { useReadySession } from "@/app/_client/wallet/session";
import { type FlowHandle, useFlow, WALLET_SIGNING_MS } from "@/app/dashboard/_flow/use-flow";
import { useInFlightResume } from "@/app/dashboard/_flow/use-in-flight-resume";
import { sumRoundUpsUsd } from "@/lib/sdk/amounts";
import { createSaveSpec, type SaveBuild, type SavingRecord } from "@/lib/sdk/flow/save";
import type { SaveRequest } from "@/lib/sdk/requests";
import { usePayWith } from "../pay/use-pay-with";
import { useSaverSigner } from "../pay/use-saver-signer";

export interface Save extends FlowHandle<SaveRequest, SaveBuild, SavingRecord> {
  /**
   * Starts a save, from what the person pays with unless the request names it.
   * @param lineNumbers line numbers of the purchases in the stored list, if they come from it
   */
  start(request: SaveRequest, lineNumbers?: number[]): void;
}

/**
 * Manages a save. The main wallet signs, or the savings wallet by allowance. A landed amount counts towards the person's limits, and the stored list marks
 * its lines as saved.
 */
export function useSave(): Save {
  const { wallet, serviceWallet, network } = useReadySession();
  const openSigner = useSaverSigner();
  const { decide } = usePayWith();
  const handle: FlowHandle<SaveRequest, SaveBuild, SavingRecord> = useFlow(
    () => createSaveSpec(wallet, serviceWallet, network),
    {
      openSigner,
      signingMs: WALLET_SIGNING_MS,
      onLanded({ breakdown, count }, txSignature) {
        followSavedAsset(wallet, breakdown.roundUpUnits > 0 ? "USDC" : "SOL");
        const isNew = recordSavedAmount(wallet, breakdown.roundUpUsd, txSignature);
        // Use the stored record: what landed may come from another tab or an earlier save.
        const { purchasesUsd } = handle.flow.getState().record!.request;
        if (isNew) recordSavedLines(wallet, count, purchasesUsd);
      },
    },
  );
  useInFlightResume(handle);
  const start = (request: SaveRequest, lineNumbers: number[] = []) => {
    if (lineNumbers.length > 0) recordSaveStart(wallet, lineNumbers, request.purchasesUsd);
    void decide(sumRoundUpsUsd(request.purchasesUsd, request), request.payWith).then((terms) =>
      handle.flow.start({ ...terms, ...request }),
    );
  };
  return { ...handle, start };
}
