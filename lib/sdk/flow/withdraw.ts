import type { buildWithdrawContract } from "../../contracts/build-withdraw";
import type { AssetSymbol } from "../../domain/assets";
import type { NamedNetwork } from "../../domain/texts";
import { ApiError } from "../calls/api-error";
import type { AnswerOf, Calls } from "../calls/calls";
import { lazily } from "./lazily";
import type { FlowSpec } from "./types";

export type WithdrawBuild = AnswerOf<typeof buildWithdrawContract> & {
  /** It was asked for after a refusal: the rent minimum and token accounts stay, so that nothing a stranger sends stops it. */
  keepsRentMinimum?: boolean;
  /** With so many lamports more, nothing a stranger sends could stop it. What was built may be refused again. */
  missingToKeep?: number;
};
export type WithdrawnAsset = WithdrawBuild["transactions"][number]["assets"][number];

export interface WithdrawRequest {
  destination: string;
  /** Null: everything. */
  asset: AssetSymbol | null;
  /** Base units; null: all of it. */
  amount: string | null;
}

/** One transaction of a withdrawal, as it is remembered once it has landed. */
export interface WithdrawalRecord {
  assets: WithdrawnAsset[];
  /** Nothing of the request is left after it. */
  last: boolean;
  /** The wallet holds nothing any more after it. */
  empties: boolean;
  /** What the build it belongs to pays for token accounts at the destination, lamports; their owner gets it back by closing them. */
  depositLamports?: number;
  /** What cannot be sent and what could not be read, with the last one. */
  leftBehind?: WithdrawBuild["leftBehind"];
  leftOut?: WithdrawBuild["leftOut"];
}

/** How a withdrawal is built, checked and continued. @param network as `saveSpec` */
export function withdrawSpec(
  serviceWallet: string,
  network: NamedNetwork,
): FlowSpec<WithdrawRequest, WithdrawBuild, WithdrawalRecord> {
  return {
    name: "withdraw",
    wallet: serviceWallet,
    build(calls, request, careful) {
      const ask = (keepRentMinimum: boolean) => askFor(calls, { ...request, serviceWallet, network, keepRentMinimum });
      return careful ? carefulBuild(ask) : ask(false).catch((error) => onRefusal(error, () => carefulBuild(ask)));
    },
    isSpoilable: () => true,
    stepsOf: (build, request) =>
      build.transactions.map(({ assets, transaction }, i) => {
        const last = build.complete && i === build.transactions.length - 1;
        const nothingStays =
          build.remainingLamports === 0 && build.leftBehind.length === 0 && build.leftOut.length === 0;
        return {
          label: labelOf(assets),
          transaction,
          about: {
            assets,
            last,
            empties: last && nothingStays && request.asset === null,
            depositLamports: build.costs.tokenAccountDepositLamports,
            ...(last && { leftBehind: build.leftBehind, leftOut: build.leftOut }),
          },
        };
      }),
    async verify(build, request) {
      const { verifyWithdrawal } = await lazily(() => import("../verify/withdrawal"));
      const sent = verifyWithdrawal(build, {
        wallet: serviceWallet,
        keepsRentMinimum: build.keepsRentMinimum,
        ...request,
      });
      // Every amount was found in the bytes as it is shown.
      const networkFee = sent.reduce((sum, { networkFeeLamports }) => sum + networkFeeLamports, 0n);
      return { ...build, costs: { ...build.costs, networkFeeLamports: Number(networkFee) } };
    },
    restOf(request, done) {
      if (done.some(({ about }) => about.last)) return null;
      if (request.amount === null) return request;
      const sent = done.flatMap(({ about }) => about.assets).filter(({ asset }) => asset === request.asset);
      const left = sent.reduce((sum, { amount }) => sum - BigInt(amount), BigInt(request.amount));
      return left > 0n ? { ...request, amount: left.toString() } : null;
    },
  };
}

interface Asking extends WithdrawRequest {
  serviceWallet: string;
  network: NamedNetwork;
  keepRentMinimum: boolean;
}

async function askFor(calls: Calls, asking: Asking): Promise<WithdrawBuild> {
  const { serviceWallet, destination, asset, amount, network, keepRentMinimum } = asking;
  const build = await calls.post<typeof buildWithdrawContract>("/api/withdraw/build", {
    serviceWalletPubkey: serviceWallet,
    destination,
    ...(asset === null ? { all: true as const } : { asset }),
    ...(amount !== null && { amount }),
    ...(keepRentMinimum && { keepRentMinimum }),
    network,
  });
  return keepRentMinimum ? { ...build, keepsRentMinimum: true } : build;
}

/** A wallet with too little SOL for the careful way can only try the exact one again. */
async function carefulBuild(ask: (keepRentMinimum: boolean) => Promise<WithdrawBuild>): Promise<WithdrawBuild> {
  const kept = await ask(true);
  const build = kept.ready ? kept : await ask(false);
  return kept.missingLamports > 0 ? { ...build, missingToKeep: kept.missingLamports } : build;
}

/** The service simulates what it builds: something may have reached the wallet since the service read it. */
function onRefusal<T>(error: unknown, again: () => Promise<T>): Promise<T> {
  if (!(error instanceof ApiError) || error.code !== "simulation_failed") throw error;
  return again();
}

function labelOf(assets: WithdrawnAsset[]): string {
  const names = assets.map(({ symbol }) => symbol);
  if (names.length === 0) return "Close empty token accounts";
  if (names.length <= 3) return `Take out ${names.join(", ")}`;
  return `Take out ${names.slice(0, 2).join(", ")} and ${names.length - 2} more`;
}
