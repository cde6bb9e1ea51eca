import { ed25519 } from "@noble/curves/ed25519";
import { sha256 } from "@noble/hashes/sha2";
import bs58 from "bs58";
import { encodeUtf8 } from "../../solana/bytes";

const SHOP_NAMES = [
  "Corner Coffee",
  "Green Grocer",
  "Night Bus",
  "Book Nook",
  "Noodle Bar",
  "Bike Repair",
  "Record Store",
];

export interface Shop {
  name: string;
  address: string;
}

/** Lists the shops where sandbox wallets spend play money. The keys of these addresses are never used. */
export const listSandboxShops = (): readonly Shop[] =>
  SHOP_NAMES.map((name) => {
    const seed = sha256(encodeUtf8(`roundup/sandbox/shop/${name}`));
    return { name, address: bs58.encode(ed25519.getPublicKey(seed)) };
  });
