/**
 * Replaces jayson on pages (see next.config.ts), which saves 5 kB. web3.js always imports it for its Connection. No
 * page creates a Connection, because pages call only this service.
 */
export default function RpcClient(): never {
  throw new Error("Pages call only this service, never a Solana node.");
}
