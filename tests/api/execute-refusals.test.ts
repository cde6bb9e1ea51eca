import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import {
  chain,
  compose,
  keypairOf,
  lamportsOf,
  newSaver,
  sendDirectly,
  transfer,
  wrapFor,
} from "../support/chain/chain";
import { fund, newWallet, post, signTransaction, type Wallet } from "../support/client/client";

/**
 * POST /api/swap/execute: requests that are refused, each for its own reason, before any upstream is called. Nothing is
 * sent.
 */

const relay = (signedTransaction: unknown, { headers }: Wallet) =>
  post("/api/swap/execute", { signedTransaction }, { headers });

/** A valid transfer between two wallets, as base64 and as bytes. */
async function goodTransfer() {
  const [sender, receiver] = [await newWallet(), await newWallet()];
  await fund(sender.address, 1);
  const instructions = [transfer(sender.address, receiver.address, 100_000_000)];
  const signed = await compose({ signers: [sender], instructions });
  return { sender, receiver, signed, bytes: Buffer.from(signed, "base64") };
}

async function expectRefusal(signedTransaction: unknown, sender: Wallet, code: string, error: RegExp) {
  const { status, body } = await relay(signedTransaction, sender);
  expect([status, body?.code]).toEqual([400, code]);
  expect(body?.error).toMatch(error);
}

describe("400: not signed", () => {
  test("refuses a wrap as it was built", async () => {
    const saver = await newSaver();
    const { transaction } = await wrapFor(saver, { txValueUsd: 3.45 });
    await expectRefusal(transaction!.base64, saver.user, "transaction_not_signed", /is missing/);
    expect(await lamportsOf(saver.user.address)).toEqual([1_000_000_000]);
  });

  test("names the signer of a missing signature", async () => {
    const [payer, owner, receiver] = [await newWallet(), await newWallet(), await newWallet()];
    await fund(payer.address, 1);
    await fund(owner.address, 1);
    const instructions = [transfer(owner.address, receiver.address, 1_000_000)];
    const bytes = Buffer.from(await compose({ signers: [payer, owner], instructions }), "base64");
    const withoutOwner = Buffer.from(bytes).fill(0, 1 + 64, 1 + 128);
    await expectRefusal(withoutOwner.toString("base64"), payer, "transaction_not_signed", new RegExp(owner.address));
    const withoutPayer = Buffer.from(bytes).fill(0, 1, 1 + 64);
    await expectRefusal(withoutPayer.toString("base64"), payer, "transaction_not_signed", new RegExp(payer.address));
  });

  test("refuses the signature of a different wallet", async () => {
    const saver = await newSaver();
    const { transaction } = await wrapFor(saver, { txValueUsd: 3.45 });
    const bytes = Buffer.from(transaction!.base64, "base64");
    const stranger = Buffer.from(signTransaction(transaction!.base64, saver.user.keys), "base64");
    stranger.copy(bytes, 1, 1 + 8, 1 + 64);
    await expectRefusal(bytes.toString("base64"), saver.user, "transaction_not_signed", /does not match/);
  });

  test("refuses a message that was changed after signing, at any byte", async () => {
    const { sender, receiver, bytes } = await goodTransfer();
    // The lamports are the last eight bytes before the (empty) list of lookup tables.
    for (const at of [bytes.length - 9, bytes.length - 5, bytes.length - 2]) {
      const tampered = Buffer.from(bytes);
      tampered[at] = tampered[at]! ^ 1;
      await expectRefusal(tampered.toString("base64"), sender, "transaction_not_signed", /does not match/);
    }
    expect(await lamportsOf(receiver.address)).toEqual([0]);
  });

  test("refuses a signature with S + L, which some verifiers accept as a second valid one", async () => {
    const { sender, receiver, bytes } = await goodTransfer();
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    let scalar = 0n;
    for (let i = 31; i >= 0; i--) scalar = (scalar << 8n) | BigInt(bytes[1 + 32 + i]!);
    scalar += order;
    for (let i = 0; i < 32; i++) bytes[1 + 32 + i] = Number((scalar >> BigInt(8 * i)) & 255n);
    await expectRefusal(bytes.toString("base64"), sender, "transaction_not_signed", /does not match/);
    expect(await lamportsOf(receiver.address)).toEqual([0]);
  });

  test("refuses a fee payer of small order, for which anyone can sign", async () => {
    const { sender } = await goodTransfer();
    const { blockhash } = await chain().getLatestBlockhash();
    // A legacy message with one signer (the identity point), one key and no instruction. R is the identity and S is 0,
    // which satisfies S·B = R + k·A for every message.
    const nobody = Buffer.alloc(32);
    nobody[0] = 1;
    const message = Buffer.concat([
      Uint8Array.of(1, 0, 0, 1),
      nobody,
      new PublicKey(blockhash).toBuffer(),
      Buffer.from([0]),
    ]);
    const signature = Buffer.alloc(64);
    signature[0] = 1;
    const forged = Buffer.concat([Buffer.from([1]), signature, message]).toString("base64");
    await expectRefusal(forged, sender, "transaction_not_signed", /does not match/);
  });
});

describe("400: not a transaction", () => {
  test.each([
    ["text that is not base64", "this is no transaction!"],
    ["base64 of text", Buffer.from("hello, world, this is no transaction").toString("base64")],
    ["base64 of zeros", Buffer.alloc(200).toString("base64")],
    ["base64 of 0xff", Buffer.alloc(200, 255).toString("base64")],
    ["a single byte", "AQ=="],
    ["an empty text", ""],
    ["text as long as a body may be", "A".repeat(16_000)],
    ["base58", "9ePUvnibeajwyfBS3Eg1zg8pyAzJg1w2zhpHvWCBBCJs"],
  ])("refuses %s", async (_what, text) => {
    await expectRefusal(text, await newWallet(), "invalid_transaction", /canonical|bytes; the network takes/);
  });

  test("refuses non-canonical base64 of a valid transaction", async () => {
    const { sender, receiver, signed } = await goodTransfer();
    const bare = signed.replace(/=+$/, "");
    const padded = signed.endsWith("=");
    const variants = [` ${signed}`, `${signed}\n`, `${signed.slice(0, 40)}\n${signed.slice(40)}`, `${signed}====`];
    if (padded) variants.push(bare);
    const urlSafe = signed.replaceAll("+", "-").replaceAll("/", "_");
    if (urlSafe !== signed) variants.push(urlSafe);
    for (const variant of variants) await expectRefusal(variant, sender, "invalid_transaction", /canonical base64/);
    expect(await lamportsOf(receiver.address)).toEqual([0]);
  });

  test("refuses base64 whose unused bits are not zero", async () => {
    const { sender, signed, bytes } = await goodTransfer();
    const text =
      bytes.length % 3 === 0 ? null : signed.replace(/(.)(=+)$/, (_all, last, end) => nextLetter(last) + end);
    // A transfer of this shape has 215 bytes, so its base64 has one padding sign and two unused bits.
    expect(text).not.toBeNull();
    expect(Buffer.from(text!, "base64").equals(bytes)).toBe(true);
    await expectRefusal(text, sender, "invalid_transaction", /canonical base64/);
  });

  test("refuses one byte too many, and one too few", async () => {
    const { sender, receiver, bytes } = await goodTransfer();
    const longer = Buffer.concat([bytes, Buffer.alloc(1)]).toString("base64");
    await expectRefusal(longer, sender, "invalid_transaction", /canonically encoded/);
    await expectRefusal(bytes.subarray(0, -1).toString("base64"), sender, "invalid_transaction", /canonically encoded/);
    expect(await lamportsOf(receiver.address)).toEqual([0]);
  });

  test("refuses more signatures than signers, and fewer", async () => {
    const { sender, bytes } = await goodTransfer();
    const message = bytes.subarray(65);
    const two = Buffer.concat([Buffer.from([2]), bytes.subarray(1, 65), bytes.subarray(1, 65), message]);
    await expectRefusal(two.toString("base64"), sender, "invalid_transaction", /signature|canonical/);
    const none = Buffer.concat([Buffer.from([0]), message]);
    await expectRefusal(none.toString("base64"), sender, "invalid_transaction", /signature|canonical/);
  });

  test("refuses a transaction longer than the network accepts", async () => {
    const { sender, bytes } = await goodTransfer();
    for (const length of [1_233, 4_096]) {
      const long = Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]).toString("base64");
      await expectRefusal(long, sender, "invalid_transaction", new RegExp(`${length} bytes.*1232`));
    }
  });

  test("refuses version 1 by name", async () => {
    const { sender, bytes } = await goodTransfer();
    const versionOne = Buffer.concat([Buffer.from([0x81]), bytes.subarray(1)]).toString("base64");
    await expectRefusal(versionOne, sender, "invalid_transaction", /[Vv]ersion 1/);
  });

  test("refuses a version that does not exist", async () => {
    const { sender, bytes } = await goodTransfer();
    for (const version of [0x82, 0xff]) {
      const unknown = Buffer.from(bytes);
      unknown[65] = version;
      await expectRefusal(unknown.toString("base64"), sender, "invalid_transaction", /canonically encoded/);
    }
  });

  test("refuses a durable nonce, because the transaction would never expire", async () => {
    const owner = await newWallet();
    const nonce = Keypair.generate();
    await fund(owner.address, 1);
    const authority = keypairOf(owner).publicKey;
    const create = SystemProgram.createNonceAccount({
      fromPubkey: authority,
      noncePubkey: nonce.publicKey,
      authorizedPubkey: authority,
      lamports: 10_000_000,
    }).instructions;
    const nonceKeys = { keys: { publicKey: nonce.publicKey.toBytes(), secretKey: nonce.secretKey } };
    await sendDirectly(await compose({ signers: [owner, nonceKeys], instructions: create }));
    const account = await chain().getNonce(nonce.publicKey);
    const advance = SystemProgram.nonceAdvance({ noncePubkey: nonce.publicKey, authorizedPubkey: authority });
    const { address } = await newWallet();
    const instructions = [advance, transfer(owner.address, address, 1_000_000)];
    const blockhash = account?.nonce ?? (await chain().getLatestBlockhash()).blockhash;
    for (const legacy of [false, true]) {
      const signed = await compose({ signers: [owner], instructions, blockhash, legacy });
      await expectRefusal(signed, owner, "invalid_transaction", /[Dd]urable-nonce/);
    }
    expect(await lamportsOf(address)).toEqual([0]);
  });
});

describe("400: not the request", () => {});

/** Returns the next letter of the base64 alphabet, which differs only in the lowest bit. */
function nextLetter(letter: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return alphabet[alphabet.indexOf(letter) + 1]!;
}
