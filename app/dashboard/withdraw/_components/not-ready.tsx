import { Notice } from "@/app/_components/card";
import { replaceLamports } from "@/app/_components/coins";
import { UnreadAccountsNote } from "@/app/dashboard/_components/unread-accounts-note";
import type { Topup } from "@/app/dashboard/_saving/topup/use-topup";
import type { WithdrawBuild } from "@/lib/sdk/flow/withdraw";
import { LacksSolNotice, MissingSol, type RefusedWay } from "./lacks-sol";
import { RemainingTokensNote } from "./remaining-tokens-note";

interface Props {
  build: WithdrawBuild;
  solPriceUsd: number | null | undefined;
}

/** Explains why nothing was built, with an action to continue. */
export function WithdrawalNotReadyNotice({ build, ...props }: Props & { topup: Topup; refusedWay: RefusedWay | null }) {
  if (build.missingLamports > 0) return <LacksSolNotice missingLamports={build.missingLamports} {...props} />;
  return (
    <Notice role="alert" tone="warn" title="This cannot be withdrawn as it is">
      <RefusalReason build={build} solPriceUsd={props.solPriceUsd} />
    </Notice>
  );
}

/** Shows the missing amount in SOL and dollars, or the service's own reason. */
export function RefusalReason({ build, solPriceUsd }: Props) {
  const { reason, missingLamports, leftBehind, leftOut } = build;
  if (missingLamports > 0) return <MissingSol lamports={missingLamports} solPriceUsd={solPriceUsd} />;
  return (
    <>
      <p>{replaceLamports(reason ?? "")}</p>
      {leftBehind.length > 1 && <RemainingTokensNote tokens={leftBehind} />}
      <UnreadAccountsNote accounts={leftOut} />
    </>
  );
}
