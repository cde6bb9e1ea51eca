/**
 * Stands in for jayson, the JSON-RPC client of web3.js, on pages (see next.config.mjs). This makes them 5 kB smaller.
 * web3.js always imports jayson for its Connection. No page creates a Connection, because pages call only this service.
 */
export default function RpcClient(): never {
  throw new Error("Pages call only this service, never a Solana node.");
}
