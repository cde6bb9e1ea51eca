/** Entry point `/errors`: the errors that this package throws. This module loads no other code. */

export { NotAsShown } from "../domain/not-as-shown";
export { ApiError } from "./calls/api-error";

/** Thrown when the wallet signed with a different account than the connected one. */
export class WrongAccountError extends Error {
  override name = "WrongAccountError";
}

/** Thrown when the service asks for a signature over a text that the SDK does not sign. */
export class AnotherTextError extends Error {
  override name = "AnotherTextError";
}

/** Thrown when the wallet signs the same text differently than before. The service key could not be derived again. */
export class NotDeterministicError extends Error {
  override name = "NotDeterministicError";
}

/** Thrown when recovery stops early. A new call continues from the current state of the chain. */
export class RecoverError extends Error {
  override name = "RecoverError";
  constructor(
    message: string,
    /** Signatures of the transactions that landed. */
    readonly landed: readonly string[],
  ) {
    super(message);
  }
}

/** Thrown when a round-up cannot be added to the given transaction. */
export class CannotAttach extends Error {
  override name = "CannotAttach";
  constructor(
    message: string,
    /** Bytes over the transaction size limit; null when size is not the reason. */
    readonly overrunBytes: number | null = null,
  ) {
    super(message);
  }
}
