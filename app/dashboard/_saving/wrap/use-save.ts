"use client";

import { recordSavedAmount } from "@/app/_client/local-storage/guards";
import { recordSavedLines, recordSaveStart } from "@/app/_client/local-storage/purchase-list";
import { useReadySession } from "@/app/_client/wallet/session";
import { useSignTransaction } from "@/app/_client/wallet/use-sign-transaction";
import { type FlowHandle, useFlow, WALLET_SIGNING_MS } from "@/app/dashboard/_flow/use-flow";
import { useInFlightResume } from "@/app/dashboard/_flow/use-in-flight-resume";
import { createSaveSpec, type SaveBuild, type SavingRecord } from "@/lib/sdk/flow/save";
import type { SaveRequest } from "@/lib/sdk/requests";

export interface Save extends FlowHandle<SaveRequest, SaveBuild, SavingRecord> {
  /**
   * Starts a save.
   * @param lineNumbers line numbers of the purchases in the stored list, if they come from it
   */
  start(request: SaveRequest, lineNumbers?: number[]): void;
}

/**
 * Manages a save. The main wallet signs. A landed amount counts towards the person's limits, and the stored list marks
 * its lines as saved.
 */
export function useSave(): Save {
  const { wallet, serviceWallet, network } = useReadySession();
  const sign = useSignTransaction();
  const handle: FlowHandle<SaveRequest, SaveBuild, SavingRecord> = useFlow(
    () => createSaveSpec(wallet, serviceWallet, network),
    {
      openSigner: async () => sign,
      signingMs: WALLET_SIGNING_MS,
      onLanded({ breakdown, count }, txSignature) {
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
    void handle.flow.start(request);
  };
  return { ...handle, start };
}
