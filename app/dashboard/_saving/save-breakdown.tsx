import { Line } from "@/app/_components/card";
import { percentText, Sol, Usd } from "@/app/_components/money";
import { lamportsToUsd } from "@/lib/domain/money";
import type { WrapBreakdown } from "@/lib/sdk/flow/save";
import { MAX_PRIORITY_FEE_LAMPORTS } from "@/lib/solana/compute-budget";
import { LAMPORTS_PER_SOL } from "@/lib/solana/programs";

/** What verification lets through. */
const RAISE_SOL = Number(MAX_PRIORITY_FEE_LAMPORTS) / Number(LAMPORTS_PER_SOL);

/** Every lamport of a saving, itemised; `feeOf` says what the fee is a part of. */
export function SaveBreakdown({ breakdown, feeOf = "the change" }: { breakdown: WrapBreakdown; feeOf?: string }) {
  const price = breakdown.solPriceUsd;
  return (
    <dl data-testid="save-breakdown">
      <Line label="Saved in your savings wallet">
        <Amount lamports={breakdown.userInvestmentLamports} price={price} />
      </Line>
      <Line label="Service fee" hint={`${percentText(breakdown.serviceFeePercent / 100)} of ${feeOf}`}>
        <Amount lamports={breakdown.serviceFeeLamports} price={price} />
      </Line>
      {breakdown.activationLamports > 0 && (
        <Line
          label="Deposit in your own savings wallet"
          hint="Once, because it is new: every account on Solana keeps a minimum. It stays yours and comes back when you withdraw everything."
        >
          <Amount lamports={breakdown.activationLamports} price={price} />
        </Line>
      )}
      <Line
        label="Network fee"
        hint={`To Solana, for one signature. Your wallet may raise it by up to ${RAISE_SOL} SOL.`}
      >
        <Amount lamports={breakdown.networkFeeLamports} price={price} />
      </Line>
      <Line label="Leaves your main wallet" strong>
        <Amount lamports={breakdown.totalLamports} price={price} />
      </Line>
    </dl>
  );
}

function Amount({ lamports, price }: { lamports: number; price: number | null }) {
  return (
    <>
      <Usd value={price === null ? null : lamportsToUsd(lamports, price)} />
      <span className="block text-sm font-normal text-soft">
        <Sol lamports={lamports} />
      </span>
    </>
  );
}
