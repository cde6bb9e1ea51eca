import { hkdfSync } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { OFF_CURVE, SMALL_ORDER } from "../support/addresses";
import { expectFailure, expectHouseRules } from "../support/answers";
import { type Answer, data, get, keepSecret, newWallet, post, signText, type Wallet } from "../support/client";
import { laxSignatures } from "../support/ed25519-points";

import vectors from "../support/vectors.json";

let message: string;
let wallet: Wallet;
/** The wallet's signature over `message`, base64. */
let signature: string;
const { apiKey: staticKey } = inject("doors");

beforeAll(async () => {
  ({ message } = await data(get("/api/wallet/derive")));
  wallet = await newWallet();
  signature = signText(wallet.keys, message);
});

const derive = (body: unknown, headers: Record<string, string> = wallet.headers) =>
  post("/api/wallet/derive", body, { headers });

/** What any client computes for itself: node's HKDF and tweetnacl, none of the service's code. */
function derivedLocally(owner: string, signatureBase64: string, index: number): string {
  const ikm = Buffer.from(signatureBase64, "base64");
  const seed = new Uint8Array(hkdfSync("sha256", ikm, "roundup/service-wallet/v1", `solana:${owner}:${index}`, 32));
  keepSecret(seed);
  return bs58.encode(nacl.sign.keyPair.fromSeed(seed).publicKey);
}

describe("200", () => {
  test.each(vectors.vectors)("published vector, index $index: $servicePublicKey", async (vector) => {
    const { owner, signatureBase64, index, servicePublicKey } = vector;
    const derived = await data(derive({ signature: signatureBase64, wallet: owner, index }));
    expect(derived).toEqual({ publicKey: servicePublicKey, wallet: owner, index, message });
  });

  test("the answer is the public key that the owner derives without us, at index 0, 1 and 255", async () => {
    for (const index of [0, 1, 255]) {
      const derived = await data(derive({ signature, index }));
      const publicKey = derivedLocally(wallet.address, signature, index);
      expect(derived).toEqual({ publicKey, wallet: wallet.address, index, message });
    }
  });

  test("index is 0 when absent; the same request answers the same wallet again", async () => {
    const first = await data(derive({ signature }));
    expect(first.index).toBe(0);
    expect(await data(derive({ signature, index: 0 }))).toEqual(first);
  });

  test("two indexes and two owners never share a wallet", async () => {
    const other = await newWallet();
    const answers = await Promise.all([
      data(derive({ signature, index: 1 })),
      data(derive({ signature, index: 2 })),
      data(derive({ signature: signText(other.keys, message), index: 1 }, other.headers)),
    ]);
    expect(new Set(answers.map(({ publicKey }) => publicKey)).size).toBe(3);
  });

  test("the answer carries no secret: not the signature, not the seed, in no encoding", async () => {
    const answer = await derive({ signature });
    expectHouseRules(answer);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(Object.keys(answer.body.data).sort()).toEqual(["index", "message", "publicKey", "wallet"]);
    const ikm = Buffer.from(signature, "base64");
    const salt = "roundup/service-wallet/v1";
    const seed = Buffer.from(hkdfSync("sha256", ikm, salt, `solana:${wallet.address}:0`, 32));
    for (const secret of [ikm, seed]) {
      for (const shown of [secret.toString("hex"), secret.toString("base64"), bs58.encode(secret)]) {
        expect(answer.text).not.toContain(shown);
      }
    }
  });
});

describe("whose wallet it is", () => {
  let other: Wallet;
  let otherSignature: string;
  let otherKey: Record<string, string>;

  beforeAll(async () => {
    other = await newWallet();
    otherSignature = signText(other.keys, message);
    const { apiKey } = await data(post("/api/keys/generate", {}, { headers: other.headers }));
    otherKey = { "x-api-key": apiKey };
  });

  const ownerOf = async (pending: Promise<Answer>) => (await data(pending)).wallet;

  test("200: `wallet` of the body comes before the x-wallet header and the API key's wallet", async () => {
    expect(await ownerOf(derive({ signature: otherSignature, wallet: other.address }))).toBe(other.address);
    expect(await ownerOf(derive({ signature, wallet: wallet.address }, otherKey))).toBe(wallet.address);
  });

  test("200: the x-wallet header comes before the API key's wallet", async () => {
    expect(await ownerOf(derive({ signature }, { ...otherKey, "x-wallet": wallet.address }))).toBe(wallet.address);
  });

  test("200: with an API key alone it is the key's wallet", async () => {
    expect(await ownerOf(derive({ signature: otherSignature }, otherKey))).toBe(other.address);
  });

  test("200: with a static key it is whom the body or the x-wallet header names", async () => {
    const key = { "x-api-key": staticKey };
    expect(await ownerOf(derive({ signature, wallet: wallet.address }, key))).toBe(wallet.address);
    expect(await ownerOf(derive({ signature }, { ...key, "x-wallet": wallet.address }))).toBe(wallet.address);
  });

  test("400 wallet_required: a static key says whose wallet it is, or nothing is derived", async () => {
    expectFailure(await derive({ signature }, { "x-api-key": staticKey }), "wallet_required");
  });

  test("400 invalid_address: an x-wallet header that is no wallet, beside a static key", async () => {
    for (const text of ["me", SMALL_ORDER, OFF_CURVE, `${wallet.address}1`, `0${wallet.address.slice(1)}`]) {
      const headers = { "x-api-key": staticKey, "x-wallet": text };
      expectFailure(await derive({ signature }, headers), "invalid_address", text);
    }
  });
});

describe("422 wrong_text_signed", () => {
  test("the sign-in signature, which travels in headers, is refused by name", async () => {
    const answer = await derive({ signature: wallet.headers["x-signature"] });
    expectFailure(answer, "wrong_text_signed");
    expect(answer.body.error).toMatch(/sign-in signature/);
    expect(answer.body.error).toMatch(/GET \/api\/wallet\/derive/);
  });

  test("a signature over another text", async () => {
    for (const text of [`${message} `, message.slice(0, -1), message.toUpperCase(), "Roundup"]) {
      const answer = await derive({ signature: signText(wallet.keys, text) });
      expectFailure(answer, "wrong_text_signed", text);
      expect(answer.body.error).not.toMatch(/sign-in/);
    }
  });

  test("another wallet's signature over the right text", async () => {
    const other = await newWallet();
    expectFailure(await derive({ signature: signText(other.keys, message) }), "wrong_text_signed");
    expectFailure(await derive({ signature, wallet: other.address }), "wrong_text_signed");
  });

  test("a second encoding of the right signature: S + L, other base64, zeros, cut or longer", async () => {
    for (const [about, text] of Object.entries(laxSignatures(Buffer.from(signature, "base64")))) {
      expectFailure(await derive({ signature: text }), "wrong_text_signed", about);
    }
  });
});

describe("400", () => {
  test("invalid_request: an index that is not a whole number from 0 to 255 is named", async () => {
    for (const index of [256, -1, 0.5, 1e300, "0", null, [0]]) {
      const answer = await derive({ signature, index });
      expectFailure(answer, "invalid_request", JSON.stringify(index));
      expect(answer.body.issues[0].path).toBe("index");
    }
  });

  test("invalid_request: no signature, or one that is longer than any", async () => {
    for (const body of [{}, { signature: null }, { signature: 5 }, { signature: "A".repeat(201) }]) {
      const answer = await derive(body);
      expectFailure(answer, "invalid_request");
      expect(answer.body.issues[0].path).toBe("signature");
    }
  });

  test("invalid_address: `wallet` of small order, off the curve, or no base58 of 32 bytes", async () => {
    for (const text of [SMALL_ORDER, OFF_CURVE, "l0OI"]) {
      expectFailure(await derive({ signature, wallet: text }), "invalid_address", text);
    }
  });

  test("invalid_request: a field named like a secret is not taken, and its value is not repeated", async () => {
    const secret = bs58.encode(nacl.randomBytes(64));
    const answer = await derive({ signature, privateKey: secret });
    expectFailure(answer, "invalid_request");
    expect(answer.body.issues).toEqual([{ path: "privateKey", message: "is not a field of this request" }]);
    expect(answer.text).not.toContain(secret);
  });
});

test("401: without credentials, even with a right derivation signature", async () => {
  expectFailure(await derive({ signature, wallet: wallet.address }, {}), "credentials_missing");
});
