import { PublicKey } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { chain, compose, lamportsOf, transfer } from "../support/chain/chain";
import { fund, newWallet, post, type Wallet } from "../support/client/client";

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
