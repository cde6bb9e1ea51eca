import type { ReactNode } from "react";
import { Sol, Usdc } from "@/app/_components/coins";
import { UsdAmount } from "@/app/_components/money";
import { Success } from "@/app/dashboard/_flow/success";
import type { WrapRecord } from "@/lib/sdk/flow/wraps";
import type { PayTerms } from "@/lib/sdk/requests";
import { SaveBreakdown } from "./save-breakdown";
import { sumSavings } from "./saved-totals";

interface Props {
  records: WrapRecord[];
  /** As in `SaveBreakdown`. By allowance there was no review, so every amount is shown here. */
  by: PayTerms["by"];
  feeBase: string;
  /** Says what the person can do next. */
  children?: ReactNode;
}

/** Shows the amount that arrived, its account deposit, and what was paid for it, as in the review. */
export function SavedNote({ records, by, feeBase, children }: Props) {
  const { arrivedLamports, arrivedUnits, arrivedUsd, depositLamports, accountDepositLamports, paidUsd, feesUsd } =
    sumSavings(records);
  return (
    <>
      <Success amount={<UsdAmount usd={arrivedUsd} />}>
        <p>
          {arrivedUnits > 0 && <Usdc units={arrivedUnits} />}
          {arrivedUnits > 0 && arrivedLamports > 0 && " and "}
          {(arrivedLamports > 0 || arrivedUnits === 0) && <Sol lamports={arrivedLamports} />} arrived in your savings
          wallet.
          {depositLamports > 0 && (
            <>
              {" "}
              <Sol lamports={depositLamports} /> of it is Solana’s account deposit; you get it back.
            </>
          )}
          {accountDepositLamports > 0 && (
            <>
              {" "}
              Up to <Sol lamports={accountDepositLamports} /> opened its USDC account; you get it back.
            </>
          )}
        </p>
        <p>
          You paid <UsdAmount usd={paidUsd} />, including <UsdAmount usd={feesUsd} /> of fees.
        </p>
        {children}
      </Success>
      {by && records.map(({ breakdown }, i) => <SaveBreakdown key={i} {...{ breakdown, feeBase, by }} />)}
    </>
  );
}
