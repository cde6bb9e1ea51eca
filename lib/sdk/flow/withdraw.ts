import type { buildWithdrawContract } from "../../contracts/build-withdraw";
import type { DataOf } from "../../contracts/define";
import { findKnownTokenByMint } from "../../domain/assets";
import type { NamedNetwork } from "../../domain/signed-texts";
import { ApiError } from "../calls/api-error";
import type { WithdrawRequest } from "../requests";
import type { FlowSpec, Step } from "./types";
import { boundCosts, loadModule } from "./verification";

export type WithdrawBuild = DataOf<typeof buildWithdrawContract> & {
  /** The deposits that the build expects are set once the build is verified. */
  costs: { expectedDepositLamports?: number };
  /**
   * True after a refusal: the rent minimum and the token accounts stay, so that no transfer from a stranger can make
   * the withdrawal fail.
   */
  keepsRentMinimum?: boolean;
  /** Lamports that the wallet lacks for a build with `keepsRentMinimum`. This build may therefore be refused again. */
  missingToKeep?: number;
};
export type WithdrawnAsset = WithdrawBuild["transactions"][number]["assets"][number];

export interface WithdrawalRecord {
  assets: WithdrawnAsset[];
  last: boolean;
  /** Whether the wallet is empty afterwards. */
  empties: boolean;
  /**
   * The most lamports that the build pays for token accounts at the destination. Their owner gets the lamports back by
   * closing the accounts. Only the last transaction of a build names them; the others have 0.
   */
  depositLamports: number;
  /** Tokens that cannot be sent. Only the last transaction carries them. */
  leftBehind?: WithdrawBuild["leftBehind"];
  /** Tokens that could not be read. Only the last transaction carries them. */
  leftOut?: WithdrawBuild["leftOut"];
}

/** Describes how a withdrawal is built, verified and continued. @param network as in `createSaveSpec` */
export function createWithdrawSpec(
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<WithdrawRequest, WithdrawBuild, WithdrawalRecord> {
  return {
    name: "withdraw",
    wallet: serviceWallet,
    async build(calls, { destination, asset, amountBaseUnits }, expectsTransfers) {
      const requestBuild = async (keepRentMinimum: boolean): Promise<WithdrawBuild> => {
        const build = await calls.post("/api/withdraw/build", {
          serviceWalletPubkey: serviceWallet,
          destination,
          ...(asset === null ? { all: true as const } : { asset }),
          ...(amountBaseUnits !== null && { amount: amountBaseUnits }),
          ...(keepRentMinimum && { keepRentMinimum }),
          network,
        });
        return keepRentMinimum ? { ...build, keepsRentMinimum: true } : build;
      };
      if (expectsTransfers) return buildKeepingRentIfPossible(requestBuild);
      try {
        return await requestBuild(false);
      } catch (error) {
        // A transfer may have reached the wallet after the service read it, which fails the simulation.
        if (!(error instanceof ApiError) || error.code !== "simulation_failed") throw error;
        return buildKeepingRentIfPossible(requestBuild);
      }
    },
    isBlockableByTransfer: () => true,
    listSteps,
    async verify(build, request) {
      const { verifyWithdrawal } = await loadModule(() => import("../verify/withdrawal"));
      const { keepsRentMinimum } = build;
      const transactions = verifyWithdrawal(build, { wallet: serviceWallet, keepsRentMinimum, ...request });
      // The verification found every shown amount in the bytes, so only the costs are replaced.
      return { ...build, costs: boundCosts(build.costs, transactions) };
    },
    getRemainingRequest(request, landedSteps) {
      if (landedSteps.some(({ about }) => about.last)) return null;
      if (request.amountBaseUnits === null) return request;
      const sentAssets = landedSteps
        .flatMap(({ about }) => about.assets)
        .filter(({ mint }) => findKnownTokenByMint(mint) === request.asset);
      const requestedAmount = BigInt(request.amountBaseUnits);
      const remainingAmount = sentAssets.reduce((sum, { amount }) => sum - BigInt(amount), requestedAmount);
      return remainingAmount > 0n ? { ...request, amountBaseUnits: remainingAmount.toString() } : null;
    },
  };
}

/**
 * Requests a build that keeps the rent minimum. If the wallet has too little SOL for such a build, requests the exact
 * withdrawal again.
 */
async function buildKeepingRentIfPossible(
  requestBuild: (keepRentMinimum: boolean) => Promise<WithdrawBuild>,
): Promise<WithdrawBuild> {
  const rentKeepingBuild = await requestBuild(true);
  const build = rentKeepingBuild.ready ? rentKeepingBuild : await requestBuild(false);
  return rentKeepingBuild.missingLamports > 0 ? { ...build, missingToKeep: rentKeepingBuild.missingLamports } : build;
}

function listSteps(build: WithdrawBuild, request: WithdrawRequest): Step<WithdrawalRecord>[] {
  const { transactions, complete, leftBehind, leftOut, costs } = build;
  const leavesNothing = build.remainingLamports === 0 && leftBehind.length === 0 && leftOut.length === 0;
  return transactions.map(({ assets, transaction, unsigned }, i) => {
    const isLastOfBuild = i === transactions.length - 1;
    const last = complete && isLastOfBuild;
    const empties = last && leavesNothing && request.asset === null;
    const record = { assets, last, empties, depositLamports: isLastOfBuild ? costs.tokenAccountDepositLamports : 0 };
    const about = { ...record, ...(last && { leftBehind, leftOut }) };
    return { label: describeAssets(assets), transaction, validForMs: unsigned.validForMs, about };
  });
}

function describeAssets(assets: WithdrawnAsset[]): string {
  const symbols = assets.map(({ symbol }) => symbol);
  if (symbols.length === 0) return "Close empty token accounts";
  if (symbols.length <= 3) return `Take out ${symbols.join(", ")}`;
  return `Take out ${symbols.slice(0, 2).join(", ")} and ${symbols.length - 2} more`;
}
