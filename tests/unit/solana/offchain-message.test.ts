import { expect, test } from "vitest";
import { encodeUtf8, toHex } from "@/lib/solana/bytes";
import { isOffchainMessage, listOffchainMessages } from "@/lib/solana/offchain-message";

const SIGNER = new Uint8Array(32).fill(7);
const DOMAIN = "ff736f6c616e61206f6666636861696e";
const TEXT = "54657374204d657373616765";

test("the off-chain messages of a text have the published forms", () => {
  const [signer, noApplication] = ["07".repeat(32), "00".repeat(32)];
  expect(listOffchainMessages(encodeUtf8("Test Message"), SIGNER).map(toHex)).toEqual([
    `${DOMAIN}00${noApplication}0001${signer}0c00${TEXT}`,
    `${DOMAIN}00${noApplication}0101${signer}0c00${TEXT}`,
    // This one is the test vector of the solana-offchain-message crate.
    `${DOMAIN}00000c00${TEXT}`,
    `${DOMAIN}00010c00${TEXT}`,
    `${DOMAIN}0101${signer}${TEXT}`,
  ]);
});

test("every off-chain message is recognized, and a text is not", () => {
  const text = encodeUtf8("Test Message");
  expect(listOffchainMessages(text, SIGNER).every(isOffchainMessage)).toBe(true);
  expect(isOffchainMessage(text)).toBe(false);
});
