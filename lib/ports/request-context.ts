/** The caller. `wallet` is null for a static key and on public endpoints. */
export type Caller =
  | { kind: "public"; wallet: null }
  | { kind: "static-key"; wallet: null; keyId: string; name?: string }
  | { kind: "api-key"; wallet: string; keyId: string }
  /** `signedInAt`: when the sign-in nonce was issued, Unix ms. Absent when the wallet signed the fixed text. */
  | { kind: "wallet"; wallet: string; signedInAt?: number };

export interface RequestContext {
  caller: Caller;
  /** The x-wallet header as sent. It is unproven unless the caller is a wallet. */
  walletHeader: string | null;
  /** Returns whether the request carries a static key. Use it only on endpoints that require no credentials. */
  hasStaticKey: () => boolean;
}
