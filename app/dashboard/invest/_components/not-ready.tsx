import { Button, ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Sol, solInText, usdText } from "@/app/_components/money";
import { ceilToCents } from "@/lib/domain/money";
import type { SwapBuild } from "@/lib/sdk/flow/invest";

/** Why nothing was built, and what helps: more savings, or, where there is enough, another moment or asset. */
export function NotReady({ build, again }: { build: SwapBuild; again: () => void }) {
  const below = build.remaining > 0;
  const enough = !below && build.swappableLamports > 0;
  return (
    <Notice
      role="alert"
      tone="warn"
      title={below ? "Not enough yet" : enough ? "Not at this price" : "This cannot be invested now"}
      action={
        enough ? (
          <Button look="secondary" onClick={again}>
            Ask again
          </Button>
        ) : (
          <ButtonLink href="/dashboard/round-up" look="secondary">
            Round up a purchase
          </ButtonLink>
        )
      }
    >
      {below ? (
        <p>
          You have {usdText(build.balanceUsd)} of {usdText(build.threshold)}. Save{" "}
          {usdText(ceilToCents(build.remaining))} more, or lower “Invest from” above. Of what you have,{" "}
          <Sol lamports={build.swappableLamports} /> could be invested.
        </p>
      ) : (
        <WhyNot build={build} />
      )}
    </Notice>
  );
}

/** The service's reason; where there is enough to invest, also that nothing is lost by waiting. */
export function WhyNot({ build }: { build: SwapBuild }) {
  return (
    <>
      <p>{solInText(build.reason ?? "")}</p>
      {build.remaining === 0 && build.swappableLamports > 0 && (
        <p>Nothing was built or sent, and your SOL stays where it is.</p>
      )}
    </>
  );
}
