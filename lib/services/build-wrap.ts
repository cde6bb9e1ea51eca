import type { buildWrapContract } from "../contracts/build-wrap";
import type { DataOf, InputOf } from "../contracts/define";
import { toBase64 } from "../domain/bytes";
import { feeCollectorFor } from "../domain/fee-collector";
import { BASE_FEE_LAMPORTS } from "../domain/fees";
import { toMicroUsd } from "../domain/money";
import { roundUp, roundUpTerms, splitLamports } from "../domain/round-up";
import { composeTransaction, systemTransfer } from "../domain/transactions";
import { AppError } from "../errors";
import type { BlockhashInfo, Deps } from "../ports";
import { buildRecord, rememberBuild } from "./build-records";
import { pricesForBuilding, pricesIfAny, solPriceMicroUsd } from "./prices";
import { roundUpMembers } from "./round-up-members";

type Input = InputOf<typeof buildWrapContract>;
type Wrap = DataOf<typeof buildWrapContract>;

export async function buildWrap(deps: Deps, input: Input): Promise<Wrap> {
  refuseWallets(deps, input);
  const terms = roundUpTerms(input);
  const value = toMicroUsd(input.txValueUsd);
  const change = roundUp(value, terms.incrementMicroUsd, terms.ceilingMicroUsd);
  const feeCollector = feeCollectorFor(input.userPubkey, deps.feeCollectors);
  if (change.skipped) {
    const prices = await pricesIfAny(deps);
    const members = roundUpMembers(value, terms, change, prices && solPriceMicroUsd(prices));
    return {
      instructions: [],
      transaction: null,
      affordable: true,
      breakdown: { ...members, ...NOTHING, feeCollector },
    };
  }

  const [prices, [user, service], rentMin, blockhash] = await Promise.all([
    pricesForBuilding(deps),
    deps.rpc.accounts([input.userPubkey, input.serviceWalletPubkey]),
    deps.rpc.rentExemptMinimum(0),
    deps.rpc.latestBlockhash(),
  ]);
  const solPrice = solPriceMicroUsd(prices);
  const { total, fee, investment } = splitLamports(change.microUsd, terms.feeBps, solPrice);
  // A new account under the rent-exempt minimum would fail the user's whole transaction.
  const activation = service || investment >= rentMin ? 0n : rentMin - investment;
  const cost = total + activation + BASE_FEE_LAMPORTS;
  const left = (user?.lamports ?? 0n) - cost;
  const instructions = [
    systemTransfer(input.userPubkey, input.serviceWalletPubkey, investment + activation),
    systemTransfer(input.userPubkey, feeCollector, fee),
  ];
  return {
    instructions,
    transaction: await compose(deps, input.userPubkey, instructions, blockhash),
    affordable: left === 0n || left >= rentMin,
    breakdown: {
      ...roundUpMembers(value, terms, change, solPrice),
      roundUpLamports: Number(total),
      serviceFeeLamports: Number(fee),
      userInvestmentLamports: Number(investment),
      activationLamports: Number(activation),
      networkFeeLamports: Number(BASE_FEE_LAMPORTS),
      totalLamports: Number(cost),
      feeCollector,
    },
  };
}

const NOTHING = {
  roundUpLamports: 0,
  serviceFeeLamports: 0,
  userInvestmentLamports: 0,
  activationLamports: 0,
  networkFeeLamports: 0,
  totalLamports: 0,
};

/** @throws AppError wallets_equal, wallet_not_allowed */
function refuseWallets({ feeCollectors }: Deps, { userPubkey, serviceWalletPubkey }: Input): void {
  if (userPubkey === serviceWalletPubkey) throw new AppError("wallets_equal");
  if (feeCollectors.includes(userPubkey) || feeCollectors.includes(serviceWalletPubkey)) {
    throw new AppError("wallet_not_allowed");
  }
}

/** Waiting for the next blockhash takes a slot (400 ms); this many looks are several slots. */
const LOOKS = 30;
const LOOK_MS = 100;

/**
 * The instructions as a transaction that has not been relayed yet: the same transfer on the same blockhash has the same
 * signature, and the chain would take it for the one it already has. Asked again before that, the bytes are the same,
 * so a client that repeats a lost call cannot pay twice.
 */
async function compose(
  deps: Deps,
  payer: string,
  instructions: Wrap["instructions"],
  first: BlockhashInfo,
): Promise<Wrap["transaction"]> {
  let latest = first;
  for (let look = 0; look < LOOKS; look++) {
    const { blockhash, lastValidBlockHeight } = latest;
    const { bytes, message } = composeTransaction({ payer, instructions, blockhash });
    const record = await buildRecord(deps, message);
    if (!record?.submitted) {
      if (!record) await rememberBuild(deps, message, { lastValidBlockHeight, submitted: false });
      return { base64: toBase64(bytes), blockhash, lastValidBlockHeight };
    }
    await deps.clock.sleep(LOOK_MS);
    latest = await deps.rpc.latestBlockhash();
  }
  throw new AppError("upstream_unavailable");
}
