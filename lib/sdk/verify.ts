/** Entry point `/verify`: compares what the service built with what the user requested. */

export { NotAsShown } from "../domain/not-as-shown";
export {
  type AllowanceFigures,
  type RequestedAllowance,
  verifyAllowance,
  verifyRevocation,
} from "./verify/allowance";
export { verifySigned } from "./verify/signed";
export {
  type RequestedSale,
  type RequestedSwaps,
  type VerifiedSwap,
  verifySale,
  verifySwaps as verifySwap,
} from "./verify/swap";
export type { WrapFigures } from "./verify/transfers";
export {
  type RequestedWithdrawal,
  type VerifiedWithdrawal,
  verifyWithdrawal,
} from "./verify/withdrawal";
export {
  type RequestedTopup,
  type RequestedWrap,
  verifyTopup,
  verifyWrap,
  verifyWrapInstructions,
} from "./verify/wrap";
