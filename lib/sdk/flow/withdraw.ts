import type { buildWithdrawContract } from "../../contracts/build-withdraw";
import type { NamedNetwork } from "../../domain/texts";
import { ApiError } from "../calls/api-error";
import type { AnswerOf } from "../calls/calls";
import type { WithdrawRequest as PublicWithdrawRequest, WithOldNames } from "../requests";
import { loadModule } from "./load-module";
import type { FlowSpec, Step } from "./types";

export type WithdrawBuild = AnswerOf<typeof buildWithdrawContract> & {
  /** True after a refusal: the rent minimum and token accounts stay, so that a stranger's transfer cannot stop it. */
  keepsRentMinimum?: boolean;
  /** Lamports that are missing for a build that no stranger's transfer can stop. This build may be refused again. */
  missingToKeep?: number;
};
export type WithdrawnAsset = WithdrawBuild["transactions"][number]["assets"][number];

export type WithdrawRequest = WithOldNames<PublicWithdrawRequest>;

/** The part of the record that describes one transaction of a withdrawal. */
export interface WithdrawalRecord {
  assets: WithdrawnAsset[];
  /** Whether this transaction completes the request. */
  last: boolean;
  /** Whether the wallet is empty afterwards. */
  empties: boolean;
  /**
   * Lamports that its build pays for token accounts at the destination. Their owner gets them back by closing the
   * accounts. Only the last transaction of a build carries them.
   */
  depositLamports?: number;
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
    async build(calls, { destination, asset, amount }, careful) {
      const requestBuild = async (keepRentMinimum: boolean): Promise<WithdrawBuild> => {
        const build = await calls.post("/api/withdraw/build", {
          serviceWalletPubkey: serviceWallet,
          destination,
          ...(asset === null ? { all: true as const } : { asset }),
          ...(amount !== null && { amount }),
          ...(keepRentMinimum && { keepRentMinimum }),
          network,
        });
        return keepRentMinimum ? { ...build, keepsRentMinimum: true } : build;
      };
      if (careful) return buildCarefully(requestBuild);
      try {
        return await requestBuild(false);
      } catch (error) {
        // A transfer may have reached the wallet after the service read it, which fails the simulation.
        if (!(error instanceof ApiError) || error.code !== "simulation_failed") throw error;
        return buildCarefully(requestBuild);
      }
    },
    isSpoilable: () => true,
    listSteps,
    async verify(build, { amount: amountBaseUnits, ...request }) {
      const { verifyWithdrawal } = await loadModule(() => import("../verify/withdrawal"));
      const sent = verifyWithdrawal(build, {
        wallet: serviceWallet,
        keepsRentMinimum: build.keepsRentMinimum,
        ...request,
        amountBaseUnits,
      });
      // The verification found every shown amount in the bytes, so only the fee is replaced.
      const networkFee = sent.reduce((sum, { networkFeeLamports }) => sum + networkFeeLamports, 0n);
      return { ...build, costs: { ...build.costs, networkFeeLamports: Number(networkFee) } };
    },
    findRest(request, done) {
      if (done.some(({ about }) => about.last)) return null;
      if (request.amount === null) return request;
      const sent = done.flatMap(({ about }) => about.assets).filter(({ asset }) => asset === request.asset);
      const left = sent.reduce((sum, { amount }) => sum - BigInt(amount), BigInt(request.amount));
      return left > 0n ? { ...request, amount: left.toString() } : null;
    },
  };
}

/** Keeps the rent minimum. A wallet with too little SOL for that can only try the exact withdrawal again. */
async function buildCarefully(request: (keepRentMinimum: boolean) => Promise<WithdrawBuild>): Promise<WithdrawBuild> {
  const kept = await request(true);
  const build = kept.ready ? kept : await request(false);
  return kept.missingLamports > 0 ? { ...build, missingToKeep: kept.missingLamports } : build;
}

function listSteps(build: WithdrawBuild, request: WithdrawRequest): Step<WithdrawalRecord>[] {
  const { transactions, complete, leftBehind, leftOut, costs } = build;
  const nothingStays = build.remainingLamports === 0 && leftBehind.length === 0 && leftOut.length === 0;
  return transactions.map(({ assets, transaction }, i) => {
    const isEnd = i === transactions.length - 1;
    const last = complete && isEnd;
    const empties = last && nothingStays && request.asset === null;
    const about = { assets, last, empties, depositLamports: isEnd ? costs.tokenAccountDepositLamports : 0 };
    return { label: describeAssets(assets), transaction, about: { ...about, ...(last && { leftBehind, leftOut }) } };
  });
}

function describeAssets(assets: WithdrawnAsset[]): string {
  const names = assets.map(({ symbol }) => symbol);
  if (names.length === 0) return "Close empty token accounts";
  if (names.length <= 3) return `Take out ${names.join(", ")}`;
  return `Take out ${names.slice(0, 2).join(", ")} and ${names.length - 2} more`;
}
