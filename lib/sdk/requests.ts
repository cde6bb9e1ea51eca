import type { Allocation } from "../domain/allocations";
import type { AssetSymbol, SaleTarget, TradedAsset } from "../domain/assets";
import { BATCH_SIZE } from "../domain/limits";
import type { RoundUpRequest } from "../domain/round-up";
import { renameMembers, useNewNames } from "./old-names";

/**
 * The requests of the public API. Flows use older names for some members, because stored records of payments in flight
 * have those names.
 */

/** The old name of each renamed member. */
interface OldMembers {
  purchasesUsd: "purchases";
  allocations: "legs";
  amountBaseUnits: "amount";
}

/** A request with the member names of flows, which were public in the previous release. */
export type WithOldNames<Request> = {
  [Member in keyof Request as Member extends keyof OldMembers ? OldMembers[Member] : Member]: Request[Member];
};

/** @deprecated Use `Allocation`. */
export type Leg = Allocation;

/** How much of a purchase is saved. */
export interface SavingTerms extends Omit<RoundUpRequest, "ceiling"> {
  /** The most to save of one purchase, in US dollars. Default: 1 × the multiplier. */
  ceilingUsd?: number;
  /** @deprecated Use `ceilingUsd`. */
  ceiling?: number;
}

export interface SaveRequest extends SavingTerms {
  /** US dollars, at most 500 purchases. */
  purchasesUsd: number[];
  /** The signature of the newest payment among them, from `batches` of GET /api/spending/{address}. */
  through?: string;
  /**
   * Sent together with `through`: `savedThrough` of the same answer, or `none` for null. Without it, payments that were
   * saved after that answer could be saved again.
   */
  after?: string;
  /**
   * The order that the purchases belong to: 1 to 64 printable ASCII characters. A wallet saves each reference once, in
   * one transaction. Not together with `through`.
   */
  reference?: string;
}

/** @deprecated Use `SaveRequest`. */
export type OldSaveRequest = WithOldNames<SaveRequest>;

export interface InvestRequest {
  /** Their percents sum to 100. */
  allocations: Allocation[];
  slippageBps: number;
  thresholdUsd: number;
}

/** @deprecated Use `InvestRequest`. */
export type OldInvestRequest = WithOldNames<InvestRequest>;

export interface SellRequest {
  asset: TradedAsset;
  into: SaleTarget;
  /** Base units, as a string of digits. Null sells everything. */
  amountBaseUnits: string | null;
  slippageBps: number;
}

/** @deprecated Use `SellRequest`. */
export type OldSellRequest = WithOldNames<SellRequest>;

export interface WithdrawRequest {
  destination: string;
  /** Null withdraws every asset. */
  asset: AssetSymbol | null;
  /** Base units, as a string of digits. Null withdraws all of the asset. */
  amountBaseUnits: string | null;
}

/** @deprecated Use `WithdrawRequest`. */
export type OldWithdrawRequest = WithOldNames<WithdrawRequest>;

const NEW_NAMES = { purchases: "purchasesUsd", legs: "allocations", ceiling: "ceilingUsd", amount: "amountBaseUnits" };
const FLOW_NAMES = Object.fromEntries(Object.entries(NEW_NAMES).map(([old, name]) => [name, old]));

/** Returns a request under its public names. @throws {RangeError} when a member is given under both names */
export const readRequest = <T extends object>(given: object) => useNewNames<T>(given, NEW_NAMES);

/** Returns a saving under its public names. @throws {RangeError} as `readRequest`, and on more than 500 purchases */
export function readSaveRequest<T extends SaveRequest>(given: object): T {
  const request = readRequest<T>(given);
  if (request.purchasesUsd.length > BATCH_SIZE.max)
    throw new RangeError(`At most ${BATCH_SIZE.max} purchases are saved at once.`);
  return request;
}

/** Returns a request as flows take it. @throws {RangeError} as `readRequest` */
export const toFlowRequest = <R>(given: object) => renameMembers(readRequest(given), FLOW_NAMES) as R;

/** Returns a flow's request under its public names. */
export const toPublicRequest = <T>(request: object) => renameMembers(request, NEW_NAMES) as T;

/** Returns a result whose earlier request has its public names. */
export const toPublicResult = <T extends object>(result: T): T =>
  "request" in result ? { ...result, request: toPublicRequest(result.request as object) } : result;
