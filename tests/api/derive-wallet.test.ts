import { hkdfSync } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createWallet, get, post, readData, recordSecret, signText, type Wallet } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";
import { NOT_WALLETS } from "../support/fixtures/addresses";
import { createAlteredSignatures } from "../support/fixtures/ed25519-points";

let message: string;
/** With placeholders for the owner's and the service wallet's addresses. */
let link: string;
let wallet: Wallet;
let signature: string;
const { apiKey: staticKey } = inject("apps");

beforeAll(async () => {
  ({ message, link } = await readData(get("/api/wallet/derive")));
  wallet = await createWallet();
  signature = signText(wallet.keys, message);
});

const derive = (body: unknown, headers: Record<string, string> = wallet.headers) =>
  post("/api/wallet/derive", body, { headers });

/** Uses Node's HKDF and tweetnacl, without the service's code. */
function deriveLocally(index: number): nacl.SignKeyPair {
  const ikm = Buffer.from(signature, "base64");
  const info = `solana:${wallet.address}:${index}`;
  const seed = new Uint8Array(hkdfSync("sha256", ikm, "roundup/service-wallet/v1", info, 32));
  recordSecret(seed);
  return nacl.sign.keyPair.fromSeed(seed);
}

test("200: returns the public key that the owner derives locally at index 0, 1 and 255", async () => {
  for (const index of [0, 1, 255]) {
    const publicKey = bs58.encode(deriveLocally(index).publicKey);
    expect(await readData(derive({ signature, index }))).toEqual({ publicKey, wallet: wallet.address, index, message });
  }
});

describe("choosing the owner", () => {
  let otherWallet: Wallet;
  let otherSignature: string;
  let otherKeyHeaders: Record<string, string>;

  beforeAll(async () => {
    otherWallet = await createWallet();
    otherSignature = signText(otherWallet.keys, message);
    const { apiKey } = await readData(post("/api/keys/generate", {}, { headers: otherWallet.headers }));
    otherKeyHeaders = { "x-api-key": apiKey };
  });

  const readOwner = async (pending: ReturnType<typeof derive>) => (await readData(pending)).wallet;

  test("200: the owner is the wallet of the body, else of the x-wallet header, else of the API key", async () => {
    const body = { signature, wallet: wallet.address };
    const otherBody = { signature: otherSignature, wallet: otherWallet.address };
    const header = { "x-wallet": wallet.address };
    expect(await readOwner(derive(otherBody))).toBe(otherWallet.address);
    expect(await readOwner(derive(body, otherKeyHeaders))).toBe(wallet.address);
    expect(await readOwner(derive({ signature }, { ...otherKeyHeaders, ...header }))).toBe(wallet.address);
    expect(await readOwner(derive({ signature: otherSignature }, otherKeyHeaders))).toBe(otherWallet.address);
    expect(await readOwner(derive(body, { "x-api-key": staticKey }))).toBe(wallet.address);
    expect(await readOwner(derive({ signature }, { "x-api-key": staticKey, ...header }))).toBe(wallet.address);
  });

  test("400 wallet_required: refuses a static key without a wallet", async () => {
    expectFailure(await derive({ signature }, { "x-api-key": staticKey }), "wallet_required");
  });

  test("400 invalid_address: refuses a malformed x-wallet header with a static key", async () => {
    const notWallets = ["me", NOT_WALLETS["small order 0"]!, NOT_WALLETS["off the curve"]!];
    for (const text of [...notWallets, `1${wallet.address}`, `0${wallet.address.slice(1)}`]) {
      const headers = { "x-api-key": staticKey, "x-wallet": text };
      expectFailure(await derive({ signature }, headers), "invalid_address", text);
    }
  });
});

test("422 wrong_text_signed: refuses the sign-in signature with a message that names it", async () => {
  const answer = await derive({ signature: wallet.headers["x-signature"] });
  expectFailure(answer, "wrong_text_signed");
  expect(answer.body.error).toMatch(/sign-in signature/);
  expect(answer.body.error).toMatch(/GET \/api\/wallet\/derive/);
});

test("422 wrong_text_signed: refuses a signature over a different text", async () => {
  for (const text of [`${message} `, message.slice(0, -1), message.toUpperCase(), "Roundup"]) {
    const answer = await derive({ signature: signText(wallet.keys, text) });
    expectFailure(answer, "wrong_text_signed", text);
    expect(answer.body.error).not.toMatch(/sign-in/);
  }
});

test("422 wrong_text_signed: refuses a different wallet's signature over the right text", async () => {
  const strangerWallet = await createWallet();
  expectFailure(await derive({ signature: signText(strangerWallet.keys, message) }), "wrong_text_signed");
  expectFailure(await derive({ signature, wallet: strangerWallet.address }), "wrong_text_signed");
});

test("422 wrong_text_signed: refuses every non-canonical encoding of the right signature", async () => {
  for (const [caseName, text] of Object.entries(createAlteredSignatures(Buffer.from(signature, "base64")))) {
    expectFailure(await derive({ signature: text }), "wrong_text_signed", caseName);
  }
});

describe("a wallet that its owner derived locally", () => {
  let serviceKeys: nacl.SignKeyPair;
  let publicKey: string;
  const signProof = () =>
    signText(serviceKeys, link.replace("{owner}", wallet.address).replace("{publicKey}", publicKey));

  beforeAll(() => {
    serviceKeys = deriveLocally(7);
    publicKey = bs58.encode(serviceKeys.publicKey);
  });

  test("200: gets the same answer for its proof as for the derivation signature", async () => {
    const proof = signProof();
    const linked = await readData(derive({ publicKey, proof, index: 7 }));
    expect(linked).toEqual(await readData(derive({ signature, index: 7 })));
    expect((await readData(derive({ publicKey, proof }))).index).toBe(0);
  });

  test("422 wrong_text_signed: is refused with a non-canonical encoding of its proof", async () => {
    for (const [caseName, text] of Object.entries(createAlteredSignatures(Buffer.from(signProof(), "base64")))) {
      expectFailure(await derive({ publicKey, proof: text }), "wrong_text_signed", caseName);
    }
  });
});

test("400: refuses a field named like a secret without repeating its value", async () => {
  const secret = bs58.encode(nacl.randomBytes(64));
  const answer = await derive({ signature, privateKey: secret });
  expectFailure(answer, "invalid_request");
  expect(answer.body.issues).toEqual([{ path: "privateKey", message: "is not a field of this request" }]);
  expect(answer.text).not.toContain(secret);
});
