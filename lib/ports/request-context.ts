/** Who calls. `wallet` is null for a static key and on public endpoints. */
export type Caller =
  | { kind: "public"; wallet: null }
  | { kind: "static-key"; wallet: null }
  | { kind: "api-key"; wallet: string; keyId: string }
  | { kind: "wallet"; wallet: string };

/** Besides the caller: what the request's headers name without proving it. */
export interface RequestContext {
  caller: Caller;
  /** The x-wallet header as sent, unproven unless the caller is a wallet. */
  walletHeader: string | null;
  /** Whether a static key of the configuration was sent, wherever credentials are not asked for. */
  isOperator: () => boolean;
}
