import type { Allocation } from "../domain/allocations";
import type { KnownToken, SaleTarget, TradedAsset } from "../domain/assets";
import { BATCH_SIZE_RANGE } from "../domain/limits";
import type { RoundUpRequest } from "../domain/round-up";
import { applyNewNames, renameMembers } from "./old-names";

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

/** A request with the member names that flows use. These names were public in the previous release. */
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
  /** At most 500 purchases, in US dollars. */
  purchasesUsd: number[];
  /** The signature of the newest payment among them, from `batches` of GET /api/spending/{address}. */
  through?: string;
  /**
   * Sent together with `through`: `savedThrough` of the same answer, or `none` for null. Without `after`, payments that
   * were saved after that answer could be saved again.
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
  /** The percents sum to 100. */
  allocations: Allocation[];
  /** The most that the output may fall short of the quote, in basis points. */
  slippageBps: number;
  /** Saved SOL below this value, in US dollars, is not invested yet. */
  thresholdUsd: number;
}

/** @deprecated Use `InvestRequest`. */
export type OldInvestRequest = WithOldNames<InvestRequest>;

export interface SellRequest {
  asset: TradedAsset;
  into: SaleTarget;
  /** Base units, as a string of digits. Null sells everything. */
  amountBaseUnits: string | null;
  /** As in `InvestRequest`. */
  slippageBps: number;
}

/** @deprecated Use `SellRequest`. */
export type OldSellRequest = WithOldNames<SellRequest>;

export interface WithdrawRequest {
  /** The wallet that receives the savings, base58. */
  destination: string;
  /** Null withdraws every asset. */
  asset: KnownToken | null;
  /** Base units, as a string of digits. Null withdraws all of the asset. */
  amountBaseUnits: string | null;
}

/** @deprecated Use `WithdrawRequest`. */
export type OldWithdrawRequest = WithOldNames<WithdrawRequest>;

const NEW_NAMES = { purchases: "purchasesUsd", legs: "allocations", ceiling: "ceilingUsd", amount: "amountBaseUnits" };
const FLOW_NAMES = Object.fromEntries(Object.entries(NEW_NAMES).map(([oldName, newName]) => [newName, oldName]));

/** Returns a request under its public names. @throws {RangeError} when a member is given under both names */
export const readRequest = <Request extends object>(givenRequest: object) =>
  applyNewNames<Request>(givenRequest, NEW_NAMES);

/** Returns a saving under its public names. @throws {RangeError} as `readRequest`, and on more than 500 purchases */
export function readSaveRequest<Request extends SaveRequest>(givenRequest: object): Request {
  const request = readRequest<Request>(givenRequest);
  if (request.purchasesUsd.length > BATCH_SIZE_RANGE.max)
    throw new RangeError(`At most ${BATCH_SIZE_RANGE.max} purchases are saved at once.`);
  return request;
}

/** Returns a request as flows take it. @throws {RangeError} as `readRequest` */
export const toFlowRequest = <Request>(givenRequest: object) =>
  renameMembers(readRequest(givenRequest), FLOW_NAMES) as Request;

/** Returns a flow's request under its public names. */
export const toPublicRequest = <Request>(request: object) => renameMembers(request, NEW_NAMES) as Request;

/** Returns a result whose earlier request has its public names. */
export const toPublicResult = <Result extends object>(result: Result): Result =>
  "request" in result ? { ...result, request: toPublicRequest(result.request as object) } : result;
