"use client";

import { recordSavedAmount } from "@/app/_client/local-storage/guards";
import { followSavedAsset } from "@/app/_client/local-storage/invest-choice";
import { recordSavedLines, recordSaveStart } from "@/app/_client/local-storage/purchase-list";
import { useReadySession } from "@/app/_client/wallet/session";
import { type FlowHandle, useWalletFlow } from "@/app/dashboard/_flow/use-flow";
import { sumRoundUpsUsd } from "@/lib/sdk/amounts";
import { createSaveSpec, type SaveBuild, type SavingRecord } from "@/lib/sdk/flow/save";
import { createTopupSpec, type TopupRequest } from "@/lib/sdk/flow/topup";
import type { WrapBuild, WrapRecord } from "@/lib/sdk/flow/wraps";
import type { SaveRequest } from "@/lib/sdk/requests";
import { usePayWith } from "../pay/pay-with";

export interface Topup extends FlowHandle<TopupRequest, WrapBuild, WrapRecord> {
  /** Starts a top-up, from what the person pays with unless the request names it. */
  start(request: TopupRequest): void;
}

export interface Save extends FlowHandle<SaveRequest, SaveBuild, SavingRecord> {
  /**
   * Starts a save, from what the person pays with unless the request names it.
   * @param lineNumbers line numbers of the purchases in the stored list, if they come from it
   */
  start(request: SaveRequest, lineNumbers?: number[]): void;
}

/** Counts a landed amount towards the person's limits. Returns whether it is new in this browser. */
function recordLanded(wallet: string, { breakdown }: WrapRecord, txSignature: string): boolean {
  followSavedAsset(wallet, breakdown.roundUpUnits > 0 ? "USDC" : "SOL");
  return recordSavedAmount(wallet, breakdown.roundUpUsd, txSignature);
}

/** Manages a top-up. The main wallet signs, or the savings wallet by allowance. */
export function useTopup(): Topup {
  const { wallet } = useReadySession();
  const { decide } = usePayWith();
  const handle = useWalletFlow(createTopupSpec, (about, txSignature) => {
    recordLanded(wallet, about, txSignature);
  });
  return {
    ...handle,
    start: (request) =>
      void decide(request.amountUsd, request.payWith).then((terms) => handle.flow.start({ ...terms, ...request })),
  };
}

/** Manages a save, as `useTopup` does. The stored list marks its lines as saved. */
export function useSave(): Save {
  const { wallet } = useReadySession();
  const { decide } = usePayWith();
  const handle: FlowHandle<SaveRequest, SaveBuild, SavingRecord> = useWalletFlow(
    createSaveSpec,
    (about, txSignature) => {
      // Use the stored record: what landed may come from another tab or an earlier save.
      const { purchasesUsd } = handle.flow.getState().record!.request;
      if (recordLanded(wallet, about, txSignature)) recordSavedLines(wallet, about.count, purchasesUsd);
    },
  );
  const start = (request: SaveRequest, lineNumbers: number[] = []) => {
    if (lineNumbers.length > 0) recordSaveStart(wallet, lineNumbers, request.purchasesUsd);
    void decide(sumRoundUpsUsd(request.purchasesUsd, request), request.payWith).then((terms) =>
      handle.flow.start({ ...terms, ...request }),
    );
  };
  return { ...handle, start };
}
