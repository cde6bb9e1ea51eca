/** Replaces jayson (see next.config.mjs), which web3.js always imports for its Connection. Pages create none. */
export default function RpcClient(): never {
  throw new Error("Pages call only this service, never a Solana node.");
}
