import type { Allocation } from "../domain/allocations";
import type { KnownToken, PayAsset, SaleTarget, TradedAsset } from "../domain/assets";
import { BATCH_SIZE_RANGE } from "../domain/limits";
import type { RoundUpRequest } from "../domain/round-up";

/** How much of a purchase is saved. */
export interface SavingTerms extends Omit<RoundUpRequest, "ceiling"> {
  /** The most to save of one purchase, in US dollars. Default: 1 × the multiplier. */
  ceilingUsd?: number;
}

/** What the change is taken from, and who signs. */
export interface PayTerms {
  /** Default SOL. */
  payWith?: PayAsset;
  /** With `payWith: "USDC"`: the service wallet signs, by the user's allowance. */
  by?: "allowance";
}

/** Returns the wallet that signs a saving and pays its network fee. */
export const findSigner = ({ wallet, serviceWallet, by }: PayTerms & { wallet: string; serviceWallet: string }) =>
  by === "allowance" ? serviceWallet : wallet;

export interface SaveRequest extends SavingTerms, PayTerms {
  /** At most 500 purchases, in US dollars. */
  purchasesUsd: number[];
  /** The signature of the newest payment among them, from `batches` of GET /api/spending/{address}. */
  through?: string;
  /** Required with `through`: `savedThrough` of the same answer, or `none` for null. */
  after?: string;
  /**
   * The order that the purchases belong to: 1 to 64 printable ASCII characters. A wallet saves each reference once, in
   * one transaction. Not together with `through`.
   */
  reference?: string;
}

export interface InvestRequest {
  /** What pays. Default SOL. The share of it among the allocations is kept. */
  payWith?: PayAsset;
  /** The percents sum to 100. */
  allocations: Allocation[];
  /** The most that the output may fall short of the quote, in basis points. */
  slippageBps: number;
  /** A balance below this value, in US dollars, is not invested yet. */
  thresholdUsd: number;
}

export interface SellRequest {
  asset: TradedAsset;
  into: SaleTarget;
  /** Base units, as a string of digits. Null sells everything. */
  amountBaseUnits: string | null;
  /** As in `InvestRequest`. */
  slippageBps: number;
}

export interface WithdrawRequest {
  /** The wallet that receives the savings, base58. */
  destination: string;
  /** Null withdraws every asset. */
  asset: KnownToken | null;
  /** Base units, as a string of digits. Null withdraws all of the asset. */
  amountBaseUnits: string | null;
}

/** Returns the request. @throws {RangeError} on more than 500 purchases, which need several transactions */
export function checkSaveRequest<Request extends SaveRequest>(request: Request): Request {
  if (request.purchasesUsd.length > BATCH_SIZE_RANGE.max)
    throw new RangeError(`At most ${BATCH_SIZE_RANGE.max} purchases are saved at once.`);
  return request;
}
