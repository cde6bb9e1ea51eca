import type { buildAllowanceContract } from "../../contracts/build-allowance";
import type { buildRevocationContract } from "../../contracts/build-revocation";
import type { DataOf } from "../../contracts/define";
import type { NamedNetwork } from "../../domain/signed-texts";
import type { BuildResult, FlowSpec } from "./types";
import { loadModule } from "./verification";
import { formatLabelUsd, replaceFigures, toOnlyStep, verifySignedWrap } from "./wraps";

export interface AllowanceRequest {
  /** The most that the service wallet may take, in USDC: 1 to 1,000. */
  amountUsd: number;
}
export type AllowanceBuild = DataOf<typeof buildAllowanceContract> & BuildResult;
export type AllowanceRecord = Pick<AllowanceBuild, "breakdown">;

export type RevocationRequest = Record<string, never>;
export type RevocationBuild = DataOf<typeof buildRevocationContract> & BuildResult;
export type RevocationRecord = Pick<RevocationBuild, "breakdown">;

const SHORT_OF_SOL_REASON =
  "The wallet holds too little SOL for this, or would keep less than Solana lets an account keep.";
const NO_ALLOWANCE_REASON = "There is no allowance to end.";

const describeOtherDelegate = (delegate: string) =>
  `Your savings wallet has no allowance. ${delegate} may take USDC instead, e.g. for a subscription. End that where you agreed to it.`;

/** Describes how an allowance is built, verified and sent. @param network as in `createSaveSpec` */
export function createAllowanceSpec(
  wallet: string,
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<AllowanceRequest, AllowanceBuild, AllowanceRecord> {
  return {
    name: "allowance",
    wallet,
    async build(calls, request) {
      const body = { ...request, userPubkey: wallet, serviceWalletPubkey: serviceWallet, network };
      const build = await calls.post("/api/allowance/build", body);
      return { ...build, ready: true, reason: null, blocked: build.affordable ? null : SHORT_OF_SOL_REASON };
    },
    listSteps: (build, { amountUsd }) => [toOnlyStep(`Allowance of ${formatLabelUsd(amountUsd)}`, build)],
    async verify(build, { amountUsd }) {
      const { verifyAllowance } = await loadModule(() => import("../verify/allowance"));
      return replaceFigures(build, verifyAllowance(build, { wallet, serviceWallet, amountUsd }));
    },
    verifySigned: verifySignedWrap,
    getRemainingRequest: (request, landedSteps) => (landedSteps.length > 0 ? null : request),
  };
}

/**
 * Describes how the end of an allowance is built, verified and sent. It removes no other delegate than the service
 * wallet. @param network as in `createSaveSpec`
 */
export function createRevocationSpec(
  wallet: string,
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<RevocationRequest, RevocationBuild, RevocationRecord> {
  return {
    name: "revocation",
    wallet,
    async build(calls) {
      const build = await calls.post("/api/allowance/revoke/build", { userPubkey: wallet, network });
      const { delegate, affordable } = build;
      const reason =
        delegate === null ? NO_ALLOWANCE_REASON : delegate === serviceWallet ? null : describeOtherDelegate(delegate);
      return { ...build, ready: reason === null, reason, blocked: affordable ? null : SHORT_OF_SOL_REASON };
    },
    listSteps: (build) => [toOnlyStep("End of the allowance", build)],
    async verify(build) {
      const { verifyRevocation } = await loadModule(() => import("../verify/allowance"));
      verifyRevocation(build, wallet);
      return build;
    },
    verifySigned: verifySignedWrap,
    getRemainingRequest: (request, landedSteps) => (landedSteps.length > 0 ? null : request),
  };
}
