import bs58 from "bs58";

/** An Ed25519 key pair in tweetnacl's format. */
export interface KeyPair {
  /** 32 bytes. */
  publicKey: Uint8Array;
  /** 64 bytes: the seed, then the public key. */
  secretKey: Uint8Array;
}

/** A secret key in two import formats. Either one gives full control of the wallet: show them only to the owner. */
export interface ExportedKey {
  /** Base58 of the 64-byte secret key (seed, then public key), as wallet apps import it. */
  base58: string;
  /** The same bytes as a JSON array: the keypair file format of the Solana CLI. */
  json: string;
}

export const exportKey = ({ secretKey }: KeyPair): ExportedKey => ({
  base58: bs58.encode(secretKey),
  json: JSON.stringify([...secretKey]),
});
