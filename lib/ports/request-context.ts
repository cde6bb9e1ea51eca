/** The authenticated caller. `wallet` is null for a static key and on public endpoints. */
export type Caller =
  | { kind: "public"; wallet: null }
  | { kind: "static-key"; wallet: null; keyId: string; name?: string }
  | { kind: "api-key"; wallet: string; keyId: string }
  /** `signedInAt`: Unix ms of the nonce of a Sign In With Solana; absent for the fixed text. */
  | { kind: "wallet"; wallet: string; signedInAt?: number };

/** The caller, and what the request's headers claim without proof. */
export interface RequestContext {
  caller: Caller;
  /** The x-wallet header as sent. It is unproven unless the caller is a wallet. */
  walletHeader: string | null;
  /** Returns whether the request has a configured static key, on endpoints that require no credentials. */
  isOperator: () => boolean;
}
