import { hkdfSync } from "node:crypto";
import { PublicKey, SystemProgram, Transaction } from "@solana/web3.js";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { beforeAll, describe, expect, inject, test } from "vitest";
import vectors from "../../app/docs/_content/service-wallet-vectors.json";
import { sandboxRpc } from "../support/app/app";
import { expectFailure, expectHouseRules } from "../support/client/answers";
import {
  data,
  fund,
  get,
  keepSecret,
  newWallet,
  post,
  signText,
  signTransaction,
  type Wallet,
} from "../support/client/client";
import { OFF_CURVE, SMALL_ORDER } from "../support/fixtures/addresses";
import { laxSignatures } from "../support/fixtures/ed25519-points";

let message: string;
/** The text a service wallet signs, with places for its owner's address and its own. */
let link: string;
let wallet: Wallet;
/** The wallet's signature over `message`, base64. */
let signature: string;
const { apiKey: staticKey } = inject("doors");

beforeAll(async () => {
  ({ message, link } = await data(get("/api/wallet/derive")));
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
    expect(Object.keys(answer.body!.data!).sort()).toEqual(["index", "message", "publicKey", "wallet"]);
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

  const ownerOf = async (pending: ReturnType<typeof derive>) => (await data(pending)).wallet;

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
    for (const text of ["me", SMALL_ORDER, OFF_CURVE, `1${wallet.address}`, `0${wallet.address.slice(1)}`]) {
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

describe("a wallet derived by its owner alone", () => {
  let service: nacl.SignKeyPair;
  let publicKey: string;
  const linkOf = (owner: string, key: string) => link.replace("{owner}", owner).replace("{publicKey}", key);
  const proofOf = (keys: nacl.SignKeyPair, owner: string, key = bs58.encode(keys.publicKey)) =>
    signText(keys, linkOf(owner, key));

  beforeAll(() => {
    const ikm = Buffer.from(signature, "base64");
    const seed = hkdfSync("sha256", ikm, "roundup/service-wallet/v1", `solana:${wallet.address}:7`, 32);
    keepSecret(new Uint8Array(seed));
    service = nacl.sign.keyPair.fromSeed(new Uint8Array(seed));
    publicKey = bs58.encode(service.publicKey);
  });

  test("200: its own proof answers what the derivation signature answers", async () => {
    const proof = proofOf(service, wallet.address);
    const linked = await data(derive({ publicKey, proof, index: 7 }));
    expect(linked).toEqual(await data(derive({ signature, index: 7 })));
    expect((await data(derive({ publicKey, proof }))).index).toBe(0);
  });

  test("200: with the owner's API key as well", async () => {
    const { apiKey } = await data(post("/api/keys/generate", {}, { headers: wallet.headers }));
    const proof = proofOf(service, wallet.address);
    expect((await data(derive({ publicKey, proof }, { "x-api-key": apiKey }))).wallet).toBe(wallet.address);
  });

  test("403 fee_missing: from then on a deposit into it carries the fee", async () => {
    const own = nacl.sign.keyPair();
    const address = bs58.encode(own.publicKey);
    const deposit = async () => {
      const [payer, target] = [new PublicKey(wallet.address), new PublicKey(address)];
      const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: target, lamports: 5_000_000 });
      const { blockhash } = await sandboxRpc<{ value: { blockhash: string } }>(
        inject("doors").rpc,
        "getLatestBlockhash",
      ).then(({ value }) => value);
      const unsigned = new Transaction({ feePayer: payer, recentBlockhash: blockhash }).add(transfer);
      const bytes = unsigned.serialize({ requireAllSignatures: false }).toString("base64");
      const signedTransaction = signTransaction(bytes, wallet.keys);
      return post("/api/swap/execute", { signedTransaction }, { headers: wallet.headers });
    };
    await fund(wallet.address, 1);
    expect((await deposit()).status).toBe(200);
    await data(derive({ publicKey: address, proof: proofOf(own, wallet.address) }));
    expectFailure(await deposit(), "fee_missing");
  });

  test("422 wrong_text_signed: a proof by another key, for another owner, of another key, or of another text", async () => {
    const other = await newWallet();
    const proofs = {
      "another key": signText(other.keys, linkOf(wallet.address, publicKey)),
      "the owner's": signText(wallet.keys, linkOf(wallet.address, publicKey)),
      "another owner": proofOf(service, other.address),
      "another public key": proofOf(service, wallet.address, other.address),
      "the text as it came": signText(service, link),
      "the derivation text": signText(service, message),
      "the sign-in text": signText(service, (await data(get("/api/auth"))).message),
    };
    for (const [about, proof] of Object.entries(proofs)) {
      expectFailure(await derive({ publicKey, proof }), "wrong_text_signed", about);
    }
    const proof = proofOf(service, wallet.address);
    expectFailure(await derive({ publicKey, proof }, other.headers), "wrong_text_signed", "another caller");
  });

  test("422 wrong_text_signed: a second encoding of the right proof", async () => {
    const proof = Buffer.from(proofOf(service, wallet.address), "base64");
    for (const [about, text] of Object.entries(laxSignatures(proof))) {
      expectFailure(await derive({ publicKey, proof: text }), "wrong_text_signed", about);
    }
  });

  test("400 wallets_equal: the caller's own wallet is not its service wallet", async () => {
    const proof = proofOf(wallet.keys, wallet.address);
    expectFailure(await derive({ publicKey: wallet.address, proof }), "wallets_equal");
  });

  test("400 wallet_not_allowed: a fee collector", async () => {
    const [collector] = inject("doors").feeCollectors;
    expectFailure(
      await derive({ publicKey: collector, proof: proofOf(service, wallet.address) }),
      "wallet_not_allowed",
    );
  });

  test("400 invalid_address: a key of small order, off the curve, or no base58 of 32 bytes", async () => {
    for (const text of [SMALL_ORDER, OFF_CURVE, "l0OI"]) {
      expectFailure(
        await derive({ publicKey: text, proof: proofOf(service, wallet.address) }),
        "invalid_address",
        text,
      );
    }
  });

  test("400 wallet_required: a static key is nobody's wallet, whomever the x-wallet header names", async () => {
    const body = { publicKey, proof: proofOf(service, wallet.address) };
    expectFailure(await derive(body, { "x-api-key": staticKey }), "wallet_required");
    expectFailure(await derive(body, { "x-api-key": staticKey, "x-wallet": wallet.address }), "wallet_required");
  });

  test("400 invalid_request: a key without its proof, a proof without its key, both ways at once, another's name", async () => {
    const proof = proofOf(service, wallet.address);
    const bodies: [string, Record<string, unknown>][] = [
      ["proof", { publicKey }],
      ["signature", { proof }],
      ["signature", { publicKey, proof, signature }],
      ["proof", { signature, proof }],
      ["wallet", { publicKey, proof, wallet: wallet.address }],
    ];
    for (const [path, body] of bodies) {
      const answer = await derive(body);
      expectFailure(answer, "invalid_request", JSON.stringify(Object.keys(body)));
      expect(answer.body.issues?.map((issue) => issue.path)).toContain(path);
    }
  });

  test("401: without credentials, even with a right proof", async () => {
    expectFailure(await derive({ publicKey, proof: proofOf(service, wallet.address) }, {}), "credentials_missing");
  });
});

describe("400", () => {
  test("invalid_request: an index that is not a whole number from 0 to 255 is named", async () => {
    for (const index of [256, -1, 0.5, 1e300, "0", null, [0]]) {
      const answer = await derive({ signature, index });
      expectFailure(answer, "invalid_request", JSON.stringify(index));
      expect(answer.body.issues?.[0]?.path).toBe("index");
    }
  });

  test("invalid_request: no signature, or one that is longer than any", async () => {
    for (const body of [{}, { signature: null }, { signature: 5 }, { signature: "A".repeat(201) }]) {
      const answer = await derive(body);
      expectFailure(answer, "invalid_request");
      expect(answer.body.issues?.[0]?.path).toBe("signature");
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
