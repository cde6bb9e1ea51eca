import { Notice } from "@/app/_components/card";
import { Sol } from "@/app/_components/money";
import type { WithdrawBuild } from "@/lib/sdk/flow/withdraw";

/** After a rejected transaction: explains what is held back to prevent another rejection, and what the wallet lacks. */
export function CarefulNote({ build }: { build: WithdrawBuild }) {
  const { keepsRentMinimum, missingToKeep = 0, remainingLamports } = build;
  if (!keepsRentMinimum && missingToKeep === 0) return null;
  return (
    <div data-testid="careful-withdrawal">
      <Notice tone="warn" title="The last withdrawal was refused">
        <p>Your savings wallet changed before it arrived. Anybody can cause that by sending a little to it.</p>
        {keepsRentMinimum && (
          <p>
            So this one takes your coins and leaves <Sol lamports={remainingLamports} /> and other tokens. Withdraw
            again later for the rest.
          </p>
        )}
        {missingToKeep > 0 && (
          <p>
            It may be refused again. Add <Sol lamports={missingToKeep} /> to your savings wallet first, and nothing that
            others send to it can stop it. It stays yours.
          </p>
        )}
      </Notice>
    </div>
  );
}
