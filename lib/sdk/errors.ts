/** Entry point `/errors`: the errors that this package throws. It loads only the modules of these errors. */

export { NotAsShown } from "../domain/not-as-shown";
export { ApiError } from "./calls/api-error";

/** Thrown when the wallet signed with a different account than the connected one. */
export class WrongAccountError extends Error {
  override name = "WrongAccountError";
}

/** Thrown when the wallet signed another text than it was asked for. */
export class WrongTextSignedError extends Error {
  override name = "WrongTextSignedError";
  constructor() {
    super(
      "The wallet signed another text than it was asked for. Old hardware wallet apps put a prefix before every text.",
    );
  }
}

/** Thrown when a service wallet comes from an off-chain message, and its signature was not saved for `recover`. */
export class RecoveryNotSavedError extends Error {
  override name = "RecoveryNotSavedError";
  constructor() {
    super("This wallet signs off-chain messages, so its signature must be saved for recover: pass saveRecovery.");
  }
}

/** Thrown when the owner has saved into other service wallets, and the wallet's signature gives a new one. */
export class OtherServiceWalletError extends Error {
  override name = "OtherServiceWalletError";
  constructor(
    /** The service wallets into which the owner has saved, base58. */
    readonly existing: readonly string[],
  ) {
    super(
      `This wallet has saved into ${existing.join(", ")}, and its signature now gives another savings wallet. Sign as you did then, or use recover with the saved signature.`,
    );
  }
}

/** Thrown when the service asks for a signature over another text, or for another deployment, than the SDK signs. */
export class AnotherTextError extends Error {
  override name = "AnotherTextError";
}

/** Thrown when the wallet signs the derivation text differently than before, which leads to a different service key. */
export class NotDeterministicError extends Error {
  override name = "NotDeterministicError";
}

/** Thrown when recovery stops early. A new call continues from the current state of the chain. */
export class RecoverError extends Error {
  override name = "RecoverError";
  constructor(
    message: string,
    readonly landed: readonly string[],
  ) {
    super(message);
  }
}

/** Thrown when a saving cannot be added to the given transaction. */
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
