import bs58 from "bs58";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeUtf8, toHex } from "@/lib/solana/bytes";
import { isOffchainMessage, listHeaderlessMessages, listSignedMessages } from "@/lib/solana/offchain-message";
import { encodeOffchainMessage } from "../../support/fixtures/offchain-messages";

const SIGNER = new Uint8Array(32).fill(7);
const DOMAIN = "ff736f6c616e61206f6666636861696e";
const TEXT = encodeUtf8("Test Message");

test("the messages of a text in each form have the published bytes", () => {
  const [signer, noApplication, text] = ["07".repeat(32), "00".repeat(32), toHex(TEXT)];
  const list = (form: Parameters<typeof listSignedMessages>[0]) => listSignedMessages(form, TEXT, SIGNER).map(toHex);
  expect(list("plain")).toEqual([text]);
  expect(list("offchain-0")).toEqual([
    `${DOMAIN}00${noApplication}0001${signer}0c00${text}`,
    `${DOMAIN}00${noApplication}0101${signer}0c00${text}`,
  ]);
  expect(list("offchain-1")).toEqual([`${DOMAIN}0101${signer}${text}`]);
  // The first one is the test vector of the solana-offchain-message crate.
  expect(listHeaderlessMessages(TEXT).map(toHex)).toEqual([`${DOMAIN}00000c00${text}`, `${DOMAIN}00010c00${text}`]);
});

test("the messages equal those of Solana's library for every text and signer", () => {
  const anyText = fc.stringMatching(/^[ -~]{1,1232}$/);
  const anySigner = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const property = fc.property(anyText, anySigner, (text, signer) => {
    const [bytes, signers] = [encodeUtf8(text), [bs58.encode(signer)]];
    expect(listSignedMessages("offchain-0", bytes, signer)).toEqual([
      encodeOffchainMessage(0, text, signers, { format: 0 }),
      encodeOffchainMessage(0, text, signers, { format: 1 }),
    ]);
    expect(listSignedMessages("offchain-1", bytes, signer)).toEqual([encodeOffchainMessage(1, text, signers)]);
  });
  fc.assert(property, { numRuns: 50 });
});

test("every off-chain message is recognized, and a text is not", () => {
  const messages = (["offchain-0", "offchain-1"] as const).flatMap((form) => listSignedMessages(form, TEXT, SIGNER));
  expect([...messages, ...listHeaderlessMessages(TEXT)].every(isOffchainMessage)).toBe(true);
  expect(isOffchainMessage(TEXT)).toBe(false);
});
