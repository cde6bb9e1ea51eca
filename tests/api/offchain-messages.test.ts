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
let authText: string;
let derivationText: string;
const BODY = { txValueUsd: 3.4 };
const APPLICATION = bs58.encode(new Uint8Array(32).fill(1));

beforeAll(async () => {
  [wallet, stranger] = [await createWallet(), await createWallet()];
  authText = (await readData(get("/api/auth"))).message;
  derivationText = (await readData(get("/api/wallet/derive"))).message;
});

/** Signs with the wallet's key. @returns base64 */
function sign(message: Uint8Array, { keys } = wallet): string {
  const signature = nacl.sign.detached(message, keys.secretKey);
  recordSecret(signature);
  return Buffer.from(signature).toString("base64");
}

/** The messages that count as a text in each form, by their names. */
const listForms = (text: string) => {
  const signers = [wallet.address];
  return [
    ["offchain-0", encodeOffchainMessage(0, text, signers, { format: 0 })],
    ["offchain-0", encodeOffchainMessage(0, text, signers, { format: 1 })],
    ["offchain-1", encodeOffchainMessage(1, text, signers)],
  ] as const;
};

/**
 * Messages that hold a text and must not count, by what is wrong with them. The form is the one they come nearest to.
 * tests/unit/solana/offchain-message.test.ts holds the bytes that count equal to those of Solana's library.
 */
function listWrongMessages(text: string) {
  const signers = [wallet.address];
  const [version0, version1] = [encodeOffchainMessage(0, text, signers), encodeOffchainMessage(1, text, signers)];
  return [
    ["offchain-0", "version 1", version1],
    ["offchain-1", "version 0", version0],
    ["offchain-0", "the plain text", Buffer.from(text)],
    ["offchain-1", "the plain text", Buffer.from(text)],
    [
      "offchain-0",
      "an application domain",
      encodeOffchainMessage(0, text, signers, { applicationDomain: APPLICATION }),
    ],
    ["offchain-0", "another signer", encodeOffchainMessage(0, text, [stranger.address])],
    ["offchain-0", "two signers", encodeOffchainMessage(0, text, [wallet.address, stranger.address])],
    ["offchain-0", "the old header", Buffer.concat([version0.slice(0, 17), Buffer.from([0]), version0.slice(83)])],
    ["offchain-0", "another text", encodeOffchainMessage(0, `${text} `, signers)],
    ["offchain-1", "another signer", encodeOffchainMessage(1, text, [stranger.address])],
    ["offchain-1", "two signers", encodeOffchainMessage(1, text, [wallet.address, stranger.address])],
    ["offchain-1", "another text", encodeOffchainMessage(1, text.toUpperCase(), signers)],
  ] as const;
}

const createHeaders = (form: string, message: Uint8Array, signer = wallet) => ({
  "x-wallet": wallet.address,
  "x-signature": sign(message, signer),
  "x-signature-form": form,
});

describe("x-signature-form", () => {
  const roundUp = (headers: Record<string, string>) => post("/api/roundup", BODY, { headers });

  test("200: signs in with an off-chain message of version 0, in either format, and of version 1", async () => {
    for (const [form, message] of listForms(authText))
      expect(await readData(roundUp(createHeaders(form, message)))).toMatchObject(BODY);
  });

  test("401 credentials_invalid: refuses every other message", async () => {
    for (const [form, caseName, message] of listWrongMessages(authText))
      expectFailure(await roundUp(createHeaders(form, message)), "credentials_invalid", `${form}: ${caseName}`);
  });

  test("401 credentials_invalid: refuses an off-chain message whose version is not named, or wrongly", async () => {
    for (const [form, message] of listForms(authText)) {
      const { "x-signature-form": _, ...plainHeaders } = createHeaders(form, message);
      expectFailure(await roundUp(plainHeaders), "credentials_invalid", form);
      for (const name of ["", "plain", "offchain", "offchain-2", form.toUpperCase(), `${form}, ${form}`, "__proto__"]) {
        const answer = await roundUp({ ...plainHeaders, "x-signature-form": name });
        expectFailure(answer, "credentials_invalid", name);
        expect(answer.body.error).toContain("x-signature-form");
      }
    }
    expectFailure(await roundUp({ ...wallet.headers, "x-signature-form": "plain" }), "credentials_invalid");
    expectFailure(await roundUp({ ...wallet.headers, "x-signature-form": "offchain-1" }), "credentials_invalid");
  });

  test("401 credentials_invalid: refuses another wallet’s signature", async () => {
    for (const [form, message] of listForms(authText))
      expectFailure(await roundUp(createHeaders(form, message, stranger)), "credentials_invalid", form);
  });

  test("401 credentials_invalid: does not go with a Sign In With Solana message", async () => {
    const message = Buffer.from("any message").toString("base64");
    const answer = await roundUp({ ...wallet.headers, "x-signature-form": "offchain-1", "x-siws-message": message });
    expectFailure(answer, "credentials_invalid");
    expect(answer.body.error).toContain("x-signature-form");
  });

  test("creates and revokes API keys, with the signature in the headers or in the body", async () => {
    for (const [form, message] of listForms(authText)) {
      const headers = createHeaders(form, message);
      const inHeaders = await readData(post("/api/keys/generate", {}, { headers }));
      const { address: name } = wallet;
      const body = { wallet: name, signature: headers["x-signature"], form };
      const inBody = await readData(post("/api/keys/generate", body));
      expect([inHeaders.wallet, inBody.wallet]).toEqual([name, name]);
      for (const { id } of [inHeaders, inBody]) await readData(callApi("DELETE", `/api/keys/${id}`, { headers }));
      const { form: _, ...plainBody } = body;
      expectFailure(await post("/api/keys/generate", plainBody), "credentials_invalid");
    }
  });

  test("400 invalid_request: refuses a form in the body without a signature, and an unknown one", async () => {
    for (const body of [{ form: "offchain-1" }, { form: "plain" }, { form: 1 }]) {
      const answer = await post("/api/keys/generate", body, { headers: wallet.headers });
      expectFailure(answer, "invalid_request");
      expect(answer.body.issues?.[0]?.path).toBe("form");
    }
  });
});

describe("deriving a service wallet with `form`", () => {
  const derive = (body: object, headers: Record<string, string> = wallet.headers) =>
    post("/api/wallet/derive", body, { headers });

  test("200: returns the wallet that HKDF gives for this form, another one for each signature", async () => {
    const publicKeys = new Set([
      (await readData(derive({ signature: signText(wallet.keys, derivationText) }))).publicKey,
    ]);
    for (const [form, message] of listForms(derivationText))
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

  test("422 wrong_text_signed: refuses every other message", async () => {
    for (const [form, caseName, message] of listWrongMessages(derivationText))
      expectFailure(await derive({ signature: sign(message), form }), "wrong_text_signed", `${form}: ${caseName}`);
  });

  test("422 wrong_text_signed: says which form a signature has, so that no other wallet is derived", async () => {
    const plain = signText(wallet.keys, derivationText);
    for (const [form, message] of listForms(derivationText)) {
      const answer = await derive({ signature: sign(message) });
      expectFailure(answer, "wrong_text_signed");
      expect(answer.body.error).toContain(`"${form}"`);
      const plainAnswer = await derive({ signature: plain, form });
      expectFailure(plainAnswer, "wrong_text_signed");
      expect(plainAnswer.body.error).toContain("leave out `form`");
    }
  });

  test("422 wrong_text_signed: names the sign-in signature in every form", async () => {
    for (const [form, message] of listForms(authText)) {
      const answer = await derive({ signature: sign(message), form }, createHeaders(form, message));
      expectFailure(answer, "wrong_text_signed");
      expect(answer.body.error).toContain("sign-in signature");
    }
  });

  test("400 invalid_request: refuses a form beside a proof, and an unknown one", async () => {
    const signature = signText(wallet.keys, derivationText);
    for (const body of [
      { publicKey: stranger.address, proof: signature, form: "offchain-1" },
      { signature, form: "plain" },
      { signature, form: "offchain-2" },
    ]) {
      const answer = await derive(body);
      expectFailure(answer, "invalid_request");
      expect(answer.body.issues?.map(({ path }) => path)).toContain("form");
    }
  });
});
