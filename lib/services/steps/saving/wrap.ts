import type { buildWrapContract } from "../../../contracts/build-wrap";
import type { DataOf } from "../../../contracts/define";
import { feeCollectorsFor } from "../../../domain/fee-collector";
import type { AccountState } from "../../../domain/holdings";
import { type Mark, markText } from "../../../domain/marks";
import { mostLamports } from "../../../domain/prices/price-bounds";
import { type RoundUp, type RoundUpTerms, splitLamports } from "../../../domain/round-up";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { toBase64 } from "../../../solana/bytes";
import { memo } from "../../../solana/memo";
import { budgetInstructions, budgetOf } from "../../../solana/priority";
import { SYSTEM_PROGRAM } from "../../../solana/programs";
import { systemTransfer } from "../../../solana/system-instructions";
import { fundedCollector } from "../collectors";
import { refuseWhilePaused } from "../pause";
import { pricesForBuilding, solPriceMicroUsd, soundSolPrice } from "../prices/read-prices";
import { priorityFor } from "../priority";
import { composeUnique } from "../relay/compose-unique";
import { renewServiceWallet } from "../service-wallets";
import { roundUpMembers } from "./round-up-members";

type Wrap = DataOf<typeof buildWrapContract>;

export interface WrapWallets {
  userPubkey: string;
  serviceWalletPubkey: string;
}

/** What is to be saved: of one purchase, or of several together. */
export interface Saving {
  terms: RoundUpTerms;
  valueMicroUsd: bigint;
  change: RoundUp;
  /** The most it may be: a ceiling for each purchase. */
  limitMicroUsd: bigint;
  /** Is written beside the transfers. */
  mark?: Mark;
}

/** @throws AppError wallets_equal, wallet_not_allowed */
export function refuseWrapWallets({ feeCollectors }: Deps, { userPubkey, serviceWalletPubkey }: WrapWallets): void {
  if (userPubkey === serviceWalletPubkey) throw new AppError("wallets_equal");
  if (feeCollectors.includes(userPubkey) || feeCollectors.includes(serviceWalletPubkey)) {
    throw new AppError("wallet_not_allowed");
  }
}

/**
 * The transfers that save it, fee included; none when there is nothing to save.
 * @throws AppError invalid_address, service_not_ready, price_stale, upstream_*
 */
export async function wrapSaving(deps: Deps, wallets: WrapWallets, saving: Saving): Promise<Wrap> {
  const { userPubkey, serviceWalletPubkey } = wallets;
  const { terms, valueMicroUsd, change } = saving;
  const collectors = feeCollectorsFor(userPubkey, deps.feeCollectors);
  if (change.skipped) return skippedWrap(deps, saving, collectors[0]);

  const [prices, [user, service, ...funds], rentMin, blockhash, priority] = await Promise.all([
    pricesForBuilding(deps),
    deps.rpc.accounts([userPubkey, serviceWalletPubkey, ...collectors]),
    deps.rpc.rentExemptMinimum(0),
    deps.rpc.latestBlockhash(),
    // Of what a wrap writes to, only the collector is everybody's: one answer serves all whose collector it is.
    priorityFor(deps, [collectors[0]]),
    refuseWhilePaused(deps, "save"),
    renewServiceWallet(deps, serviceWalletPubkey),
  ]);
  refuseUnlessWallet(service ?? null);
  const feeCollector = fundedCollector(collectors, funds, rentMin);
  const solPrice = solPriceMicroUsd(prices);
  const { total, fee, investment } = splitLamports(change.microUsd, terms.feeBps, solPrice);
  refuseAbsurd(deps, total, saving.limitMicroUsd);
  // A new account under the rent-exempt minimum would fail the user's whole transaction.
  const activation = service || investment >= rentMin ? 0n : rentMin - investment;
  const balance = user?.lamports ?? 0n;
  const instructions = [
    systemTransfer(userPubkey, serviceWalletPubkey, investment + activation),
    systemTransfer(userPubkey, feeCollector, fee),
    ...(saving.mark ? [memo(markText(saving.mark), userPubkey)] : []),
  ];
  const budget = budgetOf(instructions, priority);
  const { networkFeeLamports } = budget;
  const cost = total + activation + networkFeeLamports;
  const composed = [...budgetInstructions(budget), ...instructions];
  const built = await composeUnique(deps, userPubkey, [composed], blockhash);
  const unsigned = {
    base64: toBase64(built.transactions[0]!),
    blockhash: built.blockhash,
    lastValidBlockHeight: built.lastValidBlockHeight,
  };
  return {
    instructions,
    transaction: unsigned,
    unsigned,
    // The runtime wants the payer rent-exempt, or emptied, once after the fee and again at the end.
    affordable: [balance - networkFeeLamports, balance - cost].every((left) => left === 0n || left >= rentMin),
    // The collector first and the members after it: see respond.ts.
    breakdown: {
      feeCollector,
      ...roundUpMembers(valueMicroUsd, terms, change, solPrice),
      roundUpLamports: Number(total),
      serviceFeeLamports: Number(fee),
      userInvestmentLamports: Number(investment),
      activationLamports: Number(activation),
      networkFeeLamports: Number(networkFeeLamports),
      totalLamports: Number(cost),
    },
  };
}

/** What goes to an address that only a program controls is lost. */
function refuseUnlessWallet(service: AccountState | null): void {
  if (service === null || service.owner === SYSTEM_PROGRAM) return;
  throw new AppError("invalid_address", {
    message: "serviceWalletPubkey: that is the address of a token account, a mint or a program, not a wallet.",
  });
}

/** The red line: whatever a price says, nobody pays more than their ceilings at the least plausible one. */
function refuseAbsurd({ priceBounds }: Deps, lamports: bigint, limitMicroUsd: bigint): void {
  if (lamports > mostLamports(limitMicroUsd, priceBounds)) throw new AppError("price_stale");
}

async function skippedWrap(deps: Deps, saving: Saving, feeCollector: string): Promise<Wrap> {
  const { valueMicroUsd, terms, change } = saving;
  const members = roundUpMembers(valueMicroUsd, terms, change, await soundSolPrice(deps));
  return {
    instructions: [],
    transaction: null,
    unsigned: null,
    affordable: true,
    breakdown: { feeCollector, ...members, ...NOTHING },
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
