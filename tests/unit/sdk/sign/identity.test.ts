import bs58 from "bs58";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { deriveServiceWalletPublicKey } from "@/lib/domain/service-wallet";
import { createAuthText, createLinkText, createServiceWalletText } from "@/lib/domain/signed-texts";
import { createCalls } from "@/lib/sdk/calls/calls";
import { AnotherTextError, NotDeterministicError, WrongAccountError, WrongTextSignedError } from "@/lib/sdk/errors";
import { systemClock } from "@/lib/sdk/platform";
import { createLinkProof, createServiceWallet, openServiceWallet } from "@/lib/sdk/sign/service-wallet";
import { signIn } from "@/lib/sdk/sign/sign-in";
import { isValidSignature, type TextSigner } from "@/lib/sdk/sign/texts";
import { encodeUtf8, fromBase64, toBase64, toHex } from "@/lib/solana/bytes";
import { listOffchainMessages } from "@/lib/solana/offchain-message";
import { signWithRandomNonce } from "../../../support/fakes/sign-with-random-nonce";
import { addGroupOrder } from "../../../support/fixtures/ed25519-points";
import { AUTH_TEXT, LINK_TEXT, SERVICE_WALLET_TEXT } from "../../../support/fixtures/wallet-texts";

const owner = nacl.sign.keyPair();
const address = bs58.encode(owner.publicKey);
const signBytes = (message: Uint8Array, { secretKey } = owner) => nacl.sign.detached(message, secretKey);
const derivationSignature = signBytes(encodeUtf8(SERVICE_WALLET_TEXT));
const serviceWallet = deriveServiceWalletPublicKey(derivationSignature, address, 0);

/** Creates a wallet that returns a different answer for each request. */
function createWallet(...answers: ((message: Uint8Array) => Uint8Array)[]): TextSigner & { requests: string[] } {
  const requests: string[] = [];
  return {
    address,
    requests,
    async signMessage(message) {
      requests.push(new TextDecoder().decode(message));
      return (answers.shift() ?? signBytes)(message);
    },
  };
}

function createService({ auth = AUTH_TEXT, message = SERVICE_WALLET_TEXT, link = LINK_TEXT } = {}) {
  const posted: string[] = [];
  const calls = createCalls({
    baseUrl: "",
    clock: systemClock,
    fetch: async (path, init) => {
      if (init.method === "POST") posted.push(String(init.body));
      return Response.json({ ok: true, data: path === "/api/auth" ? { message: auth } : { message, link } });
    },
  });
  return { calls, posted };
}

const strangerKeys = nacl.sign.keyPair();
const signAsStranger = (message: Uint8Array) => signBytes(message, strangerKeys);
const signMalleably = (message: Uint8Array) => addGroupOrder(signBytes(message));

describe("signing in", () => {
  test("returns the two credential headers of this wallet", async () => {
    const headers = await signIn(createService().calls, createWallet());
    expect(headers["x-wallet"]).toBe(address);
    expect(isValidSignature(encodeUtf8(AUTH_TEXT), fromBase64(headers["x-signature"])!, owner.publicKey)).toBe(true);
  });

  test("reports a text signed as an off-chain message, as hardware wallets do, as another text", async () => {
    for (const index of [0, 1, 2, 3, 4]) {
      const signOffchain = (message: Uint8Array) => signBytes(listOffchainMessages(message, owner.publicKey)[index]!);
      await expect(signIn(createService().calls, createWallet(signOffchain))).rejects.toBeInstanceOf(
        WrongTextSignedError,
      );
    }
  });

  test("reports an off-chain message signed by another account as a wrong account", async () => {
    const sign = (message: Uint8Array) =>
      signBytes(listOffchainMessages(message, strangerKeys.publicKey)[0]!, strangerKeys);
    await expect(signIn(createService().calls, createWallet(sign))).rejects.toBeInstanceOf(WrongAccountError);
  });

  test("reports an invalid signature as a wrong account", async () => {
    for (const answer of [signAsStranger, signMalleably, () => new Uint8Array(3)])
      await expect(signIn(createService().calls, createWallet(answer))).rejects.toBeInstanceOf(WrongAccountError);
  });

  test("never asks the wallet to sign the derivation text", async () => {
    const wallet = createWallet();
    await expect(signIn(createService({ auth: SERVICE_WALLET_TEXT }).calls, wallet)).rejects.toThrow("another text");
    expect(wallet.requests).toEqual([]);
  });
});

describe("the deployment that a text names", () => {
  const EVIL = "https://evil.example";
  const ORIGIN = "https://roundup.example";

  test.each<[string, Parameters<typeof createService>[0]]>([
    ["another origin's sign-in text", { auth: createAuthText(EVIL) }],
    ["the sandbox's sign-in text", { auth: AUTH_TEXT }],
    ["a sign-in text with a suffix", { auth: `${createAuthText(ORIGIN)} And all else.` }],
  ])("prevents a sign-in with %s", async (_caseName, texts) => {
    const wallet = createWallet();
    await expect(signIn(createService(texts).calls, wallet, ORIGIN)).rejects.toBeInstanceOf(AnotherTextError);
    expect(wallet.requests).toEqual([]);
  });

  test.each<[string, Parameters<typeof createService>[0]]>([
    ["another origin's text", { message: createServiceWalletText(EVIL), link: createLinkText(EVIL) }],
    ["the sandbox's text", {}],
    ["the link text of another origin", { message: createServiceWalletText(ORIGIN), link: createLinkText(EVIL) }],
    ["a text with a suffix", { message: `${createServiceWalletText(ORIGIN)} Or not.`, link: createLinkText(ORIGIN) }],
  ])("prevents a derivation with %s", async (_caseName, texts) => {
    const [wallet, { calls, posted }] = [createWallet(), createService(texts)];
    await expect(createServiceWallet(calls, wallet, { deployment: ORIGIN })).rejects.toBeInstanceOf(AnotherTextError);
    expect([wallet.requests, posted]).toEqual([[], []]);
  });

  test("in the derivation text sets the network of the service wallet", async () => {
    expect((await createServiceWallet(createService().calls, createWallet())).network).toBe("sandbox");
    for (const name of [ORIGIN, "sandbox", "Sandbox, play money", "sandbox, play money "]) {
      const { calls } = createService({ message: createServiceWalletText(name), link: createLinkText(name) });
      expect((await createServiceWallet(calls, createWallet())).network, name).toBe("mainnet-beta");
    }
  });
});

describe("the service wallet", () => {
  test("reaches the service only as a public key and a proof", async () => {
    const { calls, posted } = createService();
    const wallet = createWallet();
    const { keys } = await createServiceWallet(calls, wallet);
    expect(bs58.encode(keys.publicKey)).toBe(serviceWallet);
    expect(wallet.requests).toEqual([SERVICE_WALLET_TEXT, SERVICE_WALLET_TEXT]);
    expect(posted).toEqual([JSON.stringify(createLinkProof(LINK_TEXT, address, keys))]);
    for (const secret of [derivationSignature, keys.secretKey.subarray(0, 32)])
      for (const text of [toBase64(secret), bs58.encode(secret), toHex(secret)]) expect(posted[0]).not.toContain(text);
  });

  test("signs the link text with both addresses as its proof", async () => {
    const { keys } = await createServiceWallet(createService().calls, createWallet());
    const { publicKey, proof } = createLinkProof(LINK_TEXT, address, keys);
    const text = LINK_TEXT.replace("{owner}", address).replace("{publicKey}", serviceWallet);
    expect(publicKey).toBe(serviceWallet);
    expect(isValidSignature(encodeUtf8(text), fromBase64(proof)!, keys.publicKey)).toBe(true);
    expect(() => createLinkProof("Pay somebody: {owner} {publicKey}", address, keys)).toThrow("another text");
  });

  test("is not created if the wallet returns two different signatures", async () => {
    const { calls, posted } = createService();
    const wallet = createWallet(signBytes, (message) => signWithRandomNonce(message, owner));
    await expect(createServiceWallet(calls, wallet)).rejects.toBeInstanceOf(NotDeterministicError);
    expect(posted).toEqual([]);
  });

  test("is opened again with one signature", async () => {
    const wallet = createWallet();
    const keys = await openServiceWallet(createService().calls, wallet, serviceWallet);
    expect([bs58.encode(keys.publicKey), wallet.requests.length]).toEqual([serviceWallet, 1]);
  });

  test("is not opened if the signature derives another wallet", async () => {
    const opening = openServiceWallet(createService().calls, createWallet(), address);
    await expect(opening).rejects.toBeInstanceOf(NotDeterministicError);
  });
});
