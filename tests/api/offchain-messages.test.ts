import { hkdfSync } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { beforeAll, describe, expect, test } from "vitest";
import {
  callApi,
  createWallet,
  get,
  post,
  readData,
  recordSecret,
  signText,
  type Wallet,
} from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";
import { encodeOffchainMessage } from "../support/fixtures/offchain-messages";

let wallet: Wallet;
let stranger: Wallet;
const texts = { auth: "", derivation: "" };
const BODY = { txValueUsd: 3.4 };

beforeAll(async () => {
  [wallet, stranger] = [await createWallet(), await createWallet()];
  texts.auth = (await readData(get("/api/auth"))).message;
  texts.derivation = (await readData(get("/api/wallet/derive"))).message;
});

/** Returns base64. */
function sign(message: Uint8Array, { keys } = wallet): string {
  const signature = nacl.sign.detached(message, keys.secretKey);
  recordSecret(signature);
  return Buffer.from(signature).toString("base64");
}

const listForms = (text: string) => {
  const signers = [wallet.address];
  return [
    ["offchain-0", encodeOffchainMessage(0, text, signers, { format: 0 })],
    ["offchain-0", encodeOffchainMessage(0, text, signers, { format: 1 })],
    ["offchain-1", encodeOffchainMessage(1, text, signers)],
  ] as const;
};

/** By the form that they come nearest to. tests/unit/solana/offchain-message.test.ts holds the bytes that count. */
function listWrongMessages(text: string) {
  const [own, both] = [[wallet.address], [wallet.address, stranger.address]];
  const applicationDomain = bs58.encode(new Uint8Array(32).fill(1));
  const [version0, version1] = [encodeOffchainMessage(0, text, own), encodeOffchainMessage(1, text, own)];
  return [
    ["offchain-0", "version 1", version1],
    ["offchain-1", "version 0", version0],
    ["offchain-1", "the plain text", Buffer.from(text)],
    ["offchain-0", "an application domain", encodeOffchainMessage(0, text, own, { applicationDomain })],
    ["offchain-0", "two signers", encodeOffchainMessage(0, text, both)],
    ["offchain-0", "the old header", Buffer.concat([version0.slice(0, 17), Buffer.from([0]), version0.slice(83)])],
    ["offchain-0", "another text", encodeOffchainMessage(0, `${text} `, own)],
    ["offchain-1", "another signer", encodeOffchainMessage(1, text, [stranger.address])],
    ["offchain-1", "two signers", encodeOffchainMessage(1, text, both)],
  ] as const;
}

const createHeaders = (form: string, message: Uint8Array, signer = wallet) => ({
  "x-wallet": wallet.address,
  "x-signature": sign(message, signer),
  "x-signature-form": form,
});
const roundUp = (headers: Record<string, string>) => post("/api/roundup", BODY, { headers });
const derive = (body: object, headers: Record<string, string> = wallet.headers) =>
  post("/api/wallet/derive", body, { headers });

test.each([
  ["auth", "credentials_invalid", (form: string, message: Uint8Array) => roundUp(createHeaders(form, message))],
  [
    "derivation",
    "wrong_text_signed",
    (form: string, message: Uint8Array) => derive({ signature: sign(message), form }),
  ],
] as const)("every other message for the %s text is refused: %s", async (name, code, send) => {
  for (const [form, caseName, message] of listWrongMessages(texts[name]))
    expectFailure(await send(form, message), code, `${form}: ${caseName}`);
});

describe("x-signature-form", () => {
  test("200: signs in with an off-chain message of version 0, in either format, and of version 1", async () => {
    for (const [form, message] of listForms(texts.auth))
      expect(await readData(roundUp(createHeaders(form, message)))).toMatchObject(BODY);
  });

  test("401 credentials_invalid: refuses an off-chain message whose version is not named, or wrongly", async () => {
    for (const [form, message] of listForms(texts.auth)) {
      const { "x-signature-form": _, ...plainHeaders } = createHeaders(form, message);
      expectFailure(await roundUp(plainHeaders), "credentials_invalid", form);
      for (const name of ["", "plain", "offchain", "offchain-2", form.toUpperCase(), `${form}, ${form}`, "__proto__"]) {
        const answer = await roundUp({ ...plainHeaders, "x-signature-form": name });
        expectFailure(answer, "credentials_invalid", name);
        expect(answer.body.error).toContain("x-signature-form");
      }
      expectFailure(await roundUp(createHeaders(form, message, stranger)), "credentials_invalid", "a stranger's");
    }
    expectFailure(await roundUp({ ...wallet.headers, "x-signature-form": "plain" }), "credentials_invalid");
    expectFailure(await roundUp({ ...wallet.headers, "x-signature-form": "offchain-1" }), "credentials_invalid");
  });

  test("401 credentials_invalid: does not go with a Sign In With Solana message", async () => {
    const message = Buffer.from("any message").toString("base64");
    const answer = await roundUp({ ...wallet.headers, "x-signature-form": "offchain-1", "x-siws-message": message });
    expectFailure(answer, "credentials_invalid");
    expect(answer.body.error).toContain("x-signature-form");
  });

  test("creates and revokes API keys, with the signature in the headers or in the body", async () => {
    for (const [form, message] of listForms(texts.auth)) {
      const headers = createHeaders(form, message);
      const { address } = wallet;
      const body = { wallet: address, signature: headers["x-signature"] };
      const keys = [
        await readData(post("/api/keys/generate", {}, { headers })),
        await readData(post("/api/keys/generate", { ...body, form })),
      ];
      expect(keys.map((key) => key.wallet)).toEqual([address, address]);
      for (const { id } of keys) await readData(callApi("DELETE", `/api/keys/${id}`, { headers }));
      expectFailure(await post("/api/keys/generate", body), "credentials_invalid");
    }
  });
});

describe("deriving a service wallet with `form`", () => {
  test("200: returns the wallet that HKDF gives for this form, another one for each signature", async () => {
    const plain = await readData(derive({ signature: signText(wallet.keys, texts.derivation) }));
    const publicKeys = new Set([plain.publicKey]);
    for (const [form, message] of listForms(texts.derivation))
      for (const index of [0, 255]) {
        const signature = sign(message);
        const info = `solana:${wallet.address}:${index}:${form}`;
        const ikm = Buffer.from(signature, "base64");
        const seed = new Uint8Array(hkdfSync("sha256", ikm, "roundup/service-wallet/v1", info, 32));
        recordSecret(seed);
        const { publicKey } = await readData(derive({ signature, form, index }));
        expect(publicKey).toBe(bs58.encode(nacl.sign.keyPair.fromSeed(seed).publicKey));
        publicKeys.add(publicKey);
      }
    expect(publicKeys.size).toBe(7);
  });

  test("422 wrong_text_signed: says which form or text a signature has, so that none else is derived", async () => {
    const expectWrongText = async (body: object, hint: string) => {
      const answer = await derive(body);
      expectFailure(answer, "wrong_text_signed");
      expect(answer.body.error).toContain(hint);
    };
    const plain = signText(wallet.keys, texts.derivation);
    for (const [form, message] of listForms(texts.derivation)) {
      await expectWrongText({ signature: sign(message) }, `"${form}"`);
      await expectWrongText({ signature: plain, form }, "leave out `form`");
    }
    for (const [form, message] of listForms(texts.auth))
      await expectWrongText({ signature: sign(message), form }, "sign-in signature");
  });
});

test("400 invalid_request: refuses an unknown form, and one without a signature or beside a proof", async () => {
  const signature = signText(wallet.keys, texts.derivation);
  const wrongKeys = [{ form: "offchain-1" }, { form: "plain" }, { form: 1 }];
  const answers = [
    ...wrongKeys.map((body) => post("/api/keys/generate", body, { headers: wallet.headers })),
    derive({ publicKey: stranger.address, proof: signature, form: "offchain-1" }),
    derive({ signature, form: "offchain-2" }),
  ];
  for (const answer of await Promise.all(answers)) {
    expectFailure(answer, "invalid_request");
    expect(answer.body.issues?.map(({ path }) => path)).toContain("form");
  }
});
