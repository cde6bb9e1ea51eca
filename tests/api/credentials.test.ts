import { crc32 } from "node:zlib";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { callApi, createWallet, get, post, readData, signText, type Wallet } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";
import { nameOperations, type OperationRequest, PROTECTED_OPERATIONS } from "../support/client/operations";
import { NOT_WALLETS } from "../support/fixtures/addresses";
import { createAlteredSignatures } from "../support/fixtures/ed25519-points";

const { apiKey: staticKey } = inject("apps");

let wallet: Wallet;
let otherWallet: Wallet;
let apiKey: string;
let revokedKey: string;
/** Values that the service must refuse, by name: variants of `wallet`'s signature, and keys. */
let wrongCredentials: Record<"x-signature" | "x-api-key", Record<string, string>>;

beforeAll(async () => {
  [wallet, otherWallet] = [await createWallet(), await createWallet()];
  const generateKey = () => readData(post("/api/keys/generate", {}, { headers: wallet.headers }));
  apiKey = (await generateKey()).apiKey;
  const revoked = await generateKey();
  await readData(callApi("DELETE", `/api/keys/${revoked.id}`, { headers: wallet.headers }));
  revokedKey = revoked.apiKey;

  const { message } = await readData(get("/api/auth"));
  const { message: derivationText } = await readData(get("/api/wallet/derive"));
  const signature = Buffer.from(wallet.headers["x-signature"]!, "base64");
  const wrongSignatures = {
    ...createAlteredSignatures(signature),
    "another wallet's": otherWallet.headers["x-signature"]!,
    "over another text": signText(wallet.keys, `${message}.`),
    "over the derivation text": signText(wallet.keys, derivationText),
    "one bit changed": Buffer.from(signature.map((byte, i) => (i === 9 ? byte ^ 1 : byte))).toString("base64"),
    "8,000 characters": "A".repeat(8_000),
    "twice, as two headers arrive": `${signature.toString("base64")}, ${signature.toString("base64")}`,
  };

  const [otherCharacters, lastCharacter] = [apiKey.slice(0, -1), apiKey.at(-1)];
  const wrongKeys = {
    unknown: forgeApiKey(),
    "the id of a live key with another secret": forgeApiKey(apiKey.split("_")[2]),
    revoked: revokedKey,
    "a wrong checksum": otherCharacters + (lastCharacter === "0" ? "1" : "0"),
    "of the other network": apiKey.replace("ru_test_", "ru_live_"),
    "its id alone": apiKey.slice(0, 24),
    "a space inside": `${apiKey.slice(0, 30)} ${apiKey.slice(30)}`,
    "a static key cut short": staticKey.slice(0, -1),
    "a static key in capitals": staticKey.toUpperCase(),
    "8,000 characters": "k".repeat(8_000),
    "the name of a JavaScript member": "__proto__",
    empty: "",
  };
  wrongCredentials = { "x-signature": wrongSignatures, "x-api-key": wrongKeys };
});

/** Returns a key with a valid shape and checksum that the service never issued. */
function forgeApiKey(id = Buffer.from(nacl.randomBytes(8)).toString("hex")): string {
  const body = `ru_test_${id}_${bs58.encode(nacl.randomBytes(32)).padStart(44, "1")}`;
  return body + crc32(body).toString(16).padStart(8, "0");
}

const sendRequest = ({ method, path, body }: OperationRequest, headers: Record<string, string>) =>
  callApi(method, path, { headers, body });

describe.each(nameOperations(PROTECTED_OPERATIONS))("%s", (_name, operation) => {
  const takesKeys = operation.contract.auth === "caller";

  test("401 credentials_missing: refuses a request without a signature or a key", async () => {
    for (const headers of [{}, { "x-wallet": wallet.address }] as Record<string, string>[]) {
      expectFailure(await sendRequest(operation, headers), "credentials_missing");
    }
  });

  test.each(["x-signature", "x-api-key"] as const)(
    "401 credentials_invalid: refuses every wrong %s with the same message",
    async (header) => {
      const wallets: Record<string, string> = header === "x-signature" ? { "x-wallet": wallet.address } : {};
      for (const [name, value] of Object.entries(wrongCredentials[header])) {
        const answer = await sendRequest(operation, { ...wallets, [header]: value });
        expectFailure(answer, "credentials_invalid", name);
        expect(answer.body.error).toBe("The credentials are not valid.");
      }
    },
  );

  test("401 credentials_invalid: refuses a valid signature that does not belong to the stated wallet", async () => {
    const signature = wallet.headers["x-signature"]!;
    for (const wallets of [{}, { "x-wallet": otherWallet.address }] as Record<string, string>[]) {
      expectFailure(await sendRequest(operation, { ...wallets, "x-signature": signature }), "credentials_invalid");
    }
  });

  test("401 credentials_invalid: refuses a wrong credential even together with a valid one", async () => {
    const wrongSignature = { "x-wallet": wallet.address, "x-signature": otherWallet.headers["x-signature"]! };
    for (const key of [apiKey, staticKey]) {
      expectFailure(await sendRequest(operation, { ...wrongSignature, "x-api-key": key }), "credentials_invalid");
    }
    for (const key of [revokedKey, forgeApiKey(), ""]) {
      expectFailure(await sendRequest(operation, { ...wallet.headers, "x-api-key": key }), "credentials_invalid");
    }
  });

  test("accepts a valid signature with or without a valid key", async () => {
    for (const key of [undefined, apiKey, staticKey]) {
      const answer = await sendRequest(operation, { ...wallet.headers, ...(key && { "x-api-key": key }) });
      expect({ key, status: answer.status }).not.toEqual({ key, status: 401 });
    }
  });

  test(takesKeys ? "accepts a static and a generated key" : "401: refuses API keys", async () => {
    for (const key of [apiKey, staticKey]) {
      const answer = await sendRequest(operation, { "x-api-key": key });
      if (takesKeys) expect(answer.status).not.toBe(401);
      else expectFailure(answer, "credentials_missing");
    }
  });
});

test("401: refuses every x-wallet header that is not a wallet's address", async () => {
  const signature = wallet.headers["x-signature"]!;
  for (const [caseName, address] of Object.entries(NOT_WALLETS)) {
    // A header carries bytes. Text outside Latin-1 is sent as UTF-8, as curl does.
    const text = Buffer.from(address).toString("latin1");
    const headers = { "x-wallet": text, "x-signature": signature };
    expectFailure(await post("/api/roundup", { txValueUsd: 1 }, { headers }), "credentials_invalid", caseName);
  }
});
