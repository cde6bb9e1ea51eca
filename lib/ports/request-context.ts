/** The authenticated caller. `wallet` is null for a static key and on public endpoints. */
export type Caller =
  | { kind: "public"; wallet: null }
  | { kind: "static-key"; wallet: null; name?: string }
  | { kind: "api-key"; wallet: string; keyId: string }
  | { kind: "wallet"; wallet: string };

/** The caller, and what the request's headers claim without proof. */
export interface RequestContext {
  caller: Caller;
  /** The x-wallet header as sent. It is unproven unless the caller is a wallet. */
  walletHeader: string | null;
  /** Returns whether the request has a configured static key, on endpoints that require no credentials. */
  isOperator: () => boolean;
}
