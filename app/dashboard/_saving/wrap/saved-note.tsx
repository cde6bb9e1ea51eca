import type { ReactNode } from "react";
import { Sol } from "@/app/_components/coins";
import { UsdAmount } from "@/app/_components/money";
import { Success } from "@/app/dashboard/_flow/success";
import type { WrapRecord } from "@/lib/sdk/flow/wraps";
import { sumSavings } from "./saved-totals";

interface Props {
  records: WrapRecord[];
  /** The next action. */
  children?: ReactNode;
}

/** Shows the amount that arrived, its account deposit, and what was paid for it, as in the review. */
export function SavedNote({ records, children }: Props) {
  const { lamports, usd, depositLamports, paidUsd, feesUsd } = sumSavings(records);
  return (
    <Success amount={<UsdAmount usd={usd} />}>
      <p>
        <Sol lamports={lamports} /> arrived in your savings wallet.
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
