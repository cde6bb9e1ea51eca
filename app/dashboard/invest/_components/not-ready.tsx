import { Button, ButtonLink, SecondaryButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { replaceLamports } from "@/app/_components/coins";
import { formatUsd } from "@/app/_components/money";
import { computeCurrentShortage, formatMissing, formatMissingUsdc } from "@/app/dashboard/_components/readiness";
import { useChosenPortfolio } from "@/app/dashboard/_components/use-readiness";
import { TopupChoice } from "@/app/dashboard/_saving/topup/topup-choice";
import type { Topup } from "@/app/dashboard/_saving/wrap/use-saving";
import { fromMicroUsd } from "@/lib/domain/money";
import type { SwapBuild } from "@/lib/sdk/flow/invest";

interface Props {
  build: SwapBuild;
  topup: Topup;
  retry: () => void;
}

/** Explains why nothing was built, and offers what helps. */
export function NotReadyNotice({ build, topup, retry }: Props) {
  if (build.payWith === "USDC" && build.neededAmount !== "0") return <MissingUsdcNotice build={build} />;
  if (build.neededUsd > 0) return <ShortageNotice build={build} topup={topup} retry={retry} />;
  const isPriceTheReason = build.swappableAmount !== "0";
  return (
    <Notice
      role="alert"
      tone="warn"
      title={isPriceTheReason ? "Not at this price" : "This cannot be invested now"}
      action={isPriceTheReason && <SecondaryButton onClick={retry}>Try again</SecondaryButton>}
    >
      <RefusalReason build={build} />
    </Notice>
  );
}

function ShortageNotice({ build, topup, retry }: Props) {
  const { missingUsd, lacksOnlyCosts } = computeCurrentShortage(build, useChosenPortfolio(build.payWith));
  if (missingUsd === 0) {
    return (
      <Notice
        role="status"
        tone="good"
        title="You have enough now"
        action={<Button onClick={retry}>Invest now</Button>}
      />
    );
  }
  return (
    <Notice role="alert" tone="warn" title="Not enough yet">
      <p>
        {formatMissing(missingUsd)}.{" "}
        {lacksOnlyCosts
          ? build.payWith === "USDC"
            ? "Your USDC is enough, but network fees and Solana’s refundable account deposits are paid in SOL."
            : "Solana’s account deposits and network fees would use up the rest."
          : `Or lower “Minimum to invest” under Limits, now ${formatUsd(build.threshold)}.`}
      </p>
      <div className="mt-3 space-y-3">
        <TopupChoice topup={topup} missingUsd={build.neededUsd} needsSol />
        <ButtonLink href="/dashboard/round-up" variant="quiet" className="-ml-4">
          Round up a purchase instead
        </ButtonLink>
      </div>
    </Notice>
  );
}

function MissingUsdcNotice({ build: { neededAmount, threshold } }: Pick<Props, "build">) {
  return (
    <Notice role="alert" tone="warn" title="Not enough yet">
      <p>
        {formatMissingUsdc(fromMicroUsd(BigInt(neededAmount)))}. Or pay with SOL, or lower “Minimum to invest” under
        Limits, now {formatUsd(threshold)}.
      </p>
    </Notice>
  );
}

/** Shows the service's reason. When the balance suffices, adds that nothing was sent. */
export function RefusalReason({ build }: { build: SwapBuild }) {
  return (
    <>
      <p>{replaceLamports(build.reason ?? "")}</p>
      {build.neededUsd === 0 && build.swappableAmount !== "0" && (
        <p>Nothing was sent. Your {build.payWith} stays in your savings wallet.</p>
      )}
    </>
  );
}
