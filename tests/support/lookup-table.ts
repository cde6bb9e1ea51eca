import { PublicKey } from "@solana/web3.js";

/** Raw account data of an address lookup table. Source: `LOOKUP_TABLE_META_SIZE` (56) of solana-address-lookup-table-interface. */
export function lookupTableData(addresses: string[]): Uint8Array {
  const meta = Buffer.alloc(56);
  meta.writeUInt32LE(1, 0);
  // Never deactivated.
  meta.fill(0xff, 4, 12);
  return Uint8Array.from(Buffer.concat([meta, ...addresses.map((address) => new PublicKey(address).toBytes())]));
}
