import bs58 from "bs58";
import type nacl from "tweetnacl";

/** A secret key in the forms that other programs import. Whoever reads either can spend: show them only to the owner. */
export interface ExportedKey {
  /** Base58 of seed and public key, 64 bytes, as wallet apps import it. */
  base58: string;
  /** The same bytes as a JSON array, which is a keypair file of the Solana command line. */
  json: string;
}

export const exportKey = ({ secretKey }: nacl.SignKeyPair): ExportedKey => ({
  base58: bs58.encode(secretKey),
  json: JSON.stringify([...secretKey]),
});
