import type { ReactNode } from "react";
import { Sol } from "@/app/_components/coins";
import { UsdAmount } from "@/app/_components/money";
import { Success } from "@/app/dashboard/_flow/success";
import type { WrapRecord } from "@/lib/sdk/flow/wraps";
import { sumSavings } from "./saved-totals";

interface Props {
  records: WrapRecord[];
  /** Says what the person can do next. */
  children?: ReactNode;
}

/** Shows the amount that arrived, its account deposit, and what was paid for it, as in the review. */
export function SavedNote({ records, children }: Props) {
  const { arrivedLamports, arrivedUsd, depositLamports, paidUsd, feesUsd } = sumSavings(records);
  return (
    <Success amount={<UsdAmount usd={arrivedUsd} />}>
      <p>
        <Sol lamports={arrivedLamports} /> arrived in your savings wallet.
        {depositLamports > 0 && (
          <>
            {" "}
            <Sol lamports={depositLamports} /> of it is Solana’s account deposit; you get it back.
          </>
        )}
      </p>
      <p>
        You paid <UsdAmount usd={paidUsd} />, including <UsdAmount usd={feesUsd} /> of fees.
      </p>
      {children}
    </Success>
  );
}
