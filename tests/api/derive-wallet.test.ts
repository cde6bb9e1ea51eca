import { hkdfSync } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { beforeAll, describe, expect, inject, test } from "vitest";
import vectors from "../../app/docs/_content/service-wallet-vectors.json";
import { expectFailure } from "../support/client/answers";
import { createWallet, data, get, post, recordSecret, signText, type Wallet } from "../support/client/client";
import { OFF_CURVE, SMALL_ORDER } from "../support/fixtures/addresses";
import { createLaxSignatures } from "../support/fixtures/ed25519-points";

let message: string;
/** The text that a service wallet signs, with placeholders for the owner's and the service wallet's addresses. */
let link: string;
let wallet: Wallet;
/** The wallet's signature over `message`, base64. */
let signature: string;
const { apiKey: staticKey } = inject("apps");

beforeAll(async () => {
  ({ message, link } = await data(get("/api/wallet/derive")));
  wallet = await createWallet();
  signature = signText(wallet.keys, message);
});

const derive = (body: unknown, headers: Record<string, string> = wallet.headers) =>
  post("/api/wallet/derive", body, { headers });

/** Derives the service wallet with Node's HKDF and tweetnacl, without the service's code. @returns its address */
function deriveLocally(owner: string, signatureBase64: string, index: number): string {
  const ikm = Buffer.from(signatureBase64, "base64");
  const seed = new Uint8Array(hkdfSync("sha256", ikm, "roundup/service-wallet/v1", `solana:${owner}:${index}`, 32));
  recordSecret(seed);
  return bs58.encode(nacl.sign.keyPair.fromSeed(seed).publicKey);
}

test.each(vectors.vectors)(
  "200: derives $servicePublicKey from the published vector with index $index",
  async (vector) => {
    const { owner, signatureBase64, index, servicePublicKey } = vector;
    const derived = await data(derive({ signature: signatureBase64, wallet: owner, index }));
    expect(derived).toEqual({ publicKey: servicePublicKey, wallet: owner, index, message });
  },
);

test("200: returns the public key that the owner derives locally at index 0, 1 and 255", async () => {
  for (const index of [0, 1, 255]) {
    const derived = await data(derive({ signature, index }));
    const publicKey = deriveLocally(wallet.address, signature, index);
    expect(derived).toEqual({ publicKey, wallet: wallet.address, index, message });
  }
});

describe("choosing the owner", () => {
  let otherWallet: Wallet;
  let otherSignature: string;
  let otherKey: Record<string, string>;

  beforeAll(async () => {
    otherWallet = await createWallet();
    otherSignature = signText(otherWallet.keys, message);
    const { apiKey } = await data(post("/api/keys/generate", {}, { headers: otherWallet.headers }));
    otherKey = { "x-api-key": apiKey };
  });

  const readOwner = async (pending: ReturnType<typeof derive>) => (await data(pending)).wallet;

  test("200: `wallet` of the body takes precedence over the x-wallet header and the API key's wallet", async () => {
    expect(await readOwner(derive({ signature: otherSignature, wallet: otherWallet.address }))).toBe(
      otherWallet.address,
    );
    expect(await readOwner(derive({ signature, wallet: wallet.address }, otherKey))).toBe(wallet.address);
  });

  test("200: the x-wallet header takes precedence over the API key's wallet", async () => {
    expect(await readOwner(derive({ signature }, { ...otherKey, "x-wallet": wallet.address }))).toBe(wallet.address);
  });

  test("200: an API key alone derives for the key's wallet", async () => {
    expect(await readOwner(derive({ signature: otherSignature }, otherKey))).toBe(otherWallet.address);
  });

  test("200: a static key derives for the wallet in the body or the x-wallet header", async () => {
    const key = { "x-api-key": staticKey };
    expect(await readOwner(derive({ signature, wallet: wallet.address }, key))).toBe(wallet.address);
    expect(await readOwner(derive({ signature }, { ...key, "x-wallet": wallet.address }))).toBe(wallet.address);
  });

  test("400 wallet_required: refuses a static key without a wallet", async () => {
    expectFailure(await derive({ signature }, { "x-api-key": staticKey }), "wallet_required");
  });

  test("400 invalid_address: refuses a malformed x-wallet header with a static key", async () => {
    for (const text of ["me", SMALL_ORDER, OFF_CURVE, `1${wallet.address}`, `0${wallet.address.slice(1)}`]) {
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
  for (const [about, text] of Object.entries(createLaxSignatures(Buffer.from(signature, "base64")))) {
    expectFailure(await derive({ signature: text }), "wrong_text_signed", about);
  }
});

describe("a wallet that its owner derived locally", () => {
  let service: nacl.SignKeyPair;
  let publicKey: string;
  const buildLinkText = (owner: string, key: string) => link.replace("{owner}", owner).replace("{publicKey}", key);
  const signProof = (keys: nacl.SignKeyPair, owner: string, key = bs58.encode(keys.publicKey)) =>
    signText(keys, buildLinkText(owner, key));

  beforeAll(() => {
    const ikm = Buffer.from(signature, "base64");
    const seed = hkdfSync("sha256", ikm, "roundup/service-wallet/v1", `solana:${wallet.address}:7`, 32);
    recordSecret(new Uint8Array(seed));
    service = nacl.sign.keyPair.fromSeed(new Uint8Array(seed));
    publicKey = bs58.encode(service.publicKey);
  });

  test("200: gets the same answer for its proof as for the derivation signature", async () => {
    const proof = signProof(service, wallet.address);
    const linked = await data(derive({ publicKey, proof, index: 7 }));
    expect(linked).toEqual(await data(derive({ signature, index: 7 })));
    expect((await data(derive({ publicKey, proof }))).index).toBe(0);
  });

  test("422 wrong_text_signed: is refused with a non-canonical encoding of its proof", async () => {
    const proof = Buffer.from(signProof(service, wallet.address), "base64");
    for (const [about, text] of Object.entries(createLaxSignatures(proof))) {
      expectFailure(await derive({ publicKey, proof: text }), "wrong_text_signed", about);
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
