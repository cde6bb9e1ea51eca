import { crc32 } from "node:zlib";
import bs58 from "bs58";
import nacl from "tweetnacl";

/** Returns a key with a valid shape and checksum that the service never issued. */
export function forgeApiKey(id = Buffer.from(nacl.randomBytes(8)).toString("hex")): string {
  const body = `ru_test_${id}_${bs58.encode(nacl.randomBytes(32)).padStart(44, "1")}`;
  return body + crc32(body).toString(16).padStart(8, "0");
}

export const API_KEY_SHAPE = /^ru_test_[0-9a-f]{16}_[1-9A-HJ-NP-Za-km-z]{44}[0-9a-f]{8}$/;
