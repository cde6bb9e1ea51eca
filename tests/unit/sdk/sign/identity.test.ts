import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { deriveServiceWalletPublicKey } from "@/lib/domain/service-wallet";
import { createAuthText, createLinkText, createServiceWalletText } from "@/lib/domain/signed-texts";
import { createCalls } from "@/lib/sdk/calls/calls";
import {
  AnotherTextError,
  NotDeterministicError,
  OtherServiceWalletError,
  RecoveryNotSavedError,
  WrongAccountError,
  WrongTextSignedError,
} from "@/lib/sdk/errors";
import { systemClock } from "@/lib/sdk/platform";
import { exportKey } from "@/lib/sdk/sign/key-pair";
import {
  type CreationOptions,
  createLinkProof,
  createServiceWallet,
  openServiceWallet,
  type Recovery,
} from "@/lib/sdk/sign/service-wallet";
import { signIn } from "@/lib/sdk/sign/sign-in";
import { isValidSignature, type TextSigner } from "@/lib/sdk/sign/texts";
import { encodeUtf8, fromBase64, toBase64, toHex } from "@/lib/solana/bytes";
import { listHeaderlessMessages } from "@/lib/solana/offchain-message";
import { signWithRandomNonce } from "../../../support/fakes/sign-with-random-nonce";
import { addGroupOrder } from "../../../support/fixtures/ed25519-points";
import { encodeOffchainMessage } from "../../../support/fixtures/offchain-messages";
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

interface ServiceOptions {
  auth?: string;
  message?: string;
  link?: string;
  /** The service wallets into which the owner has saved. The third call has read the whole history. */
  serviceWallets?: string[];
}

function createService(options: ServiceOptions = {}) {
  const { auth = AUTH_TEXT, message = SERVICE_WALLET_TEXT, link = LINK_TEXT, serviceWallets = [] } = options;
  const posted: string[] = [];
  let searchCount = 0;
  const calls = createCalls({
    baseUrl: "",
    clock: systemClock,
    fetch: async (path, init) => {
      if (init.method === "POST") posted.push(String(init.body));
      const answers: Record<string, () => object> = {
        "/api/auth": () => ({ message: auth }),
        "/api/wallet/derive": () => ({ message, link }),
        "/api/wallet/find": () => ({ serviceWallets, isComplete: ++searchCount === 3 }),
      };
      return Response.json({ ok: true, data: answers[path]!() });
    },
  });
  return { calls, posted };
}

/** Ways to sign a text as an off-chain message that the service accepts. */
const OFFCHAIN_SIGNERS = (
  [
    ["offchain-0", 0, 0],
    ["offchain-0", 0, 1],
    ["offchain-1", 1, 0],
  ] as const
).map(([form, version, format]) => ({
  form,
  format,
  sign: (message: Uint8Array) =>
    signBytes(encodeOffchainMessage(version, new TextDecoder().decode(message), [address], { format })),
}));

const strangerKeys = nacl.sign.keyPair();
const signAsStranger = (message: Uint8Array) => signBytes(message, strangerKeys);
const signMalleably = (message: Uint8Array) => addGroupOrder(signBytes(message));

describe("signing in", () => {
  test("returns the two credential headers of this wallet", async () => {
    const headers = await signIn(createService().calls, createWallet());
    expect(headers["x-wallet"]).toBe(address);
    expect(isValidSignature(encodeUtf8(AUTH_TEXT), fromBase64(headers["x-signature"])!, owner.publicKey)).toBe(true);
  });

  test.each(OFFCHAIN_SIGNERS)("names the form of a text signed as $form, format $format", async ({ form, sign }) => {
    const headers = await signIn(createService().calls, createWallet(sign));
    expect(headers).toEqual({
      "x-wallet": address,
      "x-signature": toBase64(sign(encodeUtf8(AUTH_TEXT))),
      "x-signature-form": form,
    });
  });

  test("reports an off-chain message that names no signer as another text", async () => {
    for (const index of [0, 1]) {
      const sign = (message: Uint8Array) => signBytes(listHeaderlessMessages(message)[index]!);
      await expect(signIn(createService().calls, createWallet(sign))).rejects.toBeInstanceOf(WrongTextSignedError);
    }
  });

  const stranger = bs58.encode(strangerKeys.publicKey);
  const applicationDomain = bs58.encode(new Uint8Array(32).fill(1));
  test.each<[string, (message: Uint8Array) => Uint8Array]>([
    ["a stranger's signature", signAsStranger],
    ["a malleable signature", signMalleably],
    ["three bytes", () => new Uint8Array(3)],
    ["a stranger's message", () => signBytes(encodeOffchainMessage(0, AUTH_TEXT, [stranger]), strangerKeys)],
    ["a message for a stranger", () => signBytes(encodeOffchainMessage(1, AUTH_TEXT, [stranger]))],
    ["another application", () => signBytes(encodeOffchainMessage(0, AUTH_TEXT, [address], { applicationDomain }))],
    ["another format", () => signBytes(encodeOffchainMessage(0, AUTH_TEXT, [address], { format: 2 }))],
    ["a second signer", () => signBytes(encodeOffchainMessage(0, AUTH_TEXT, [address, stranger]))],
    ["a second signer in version 1", () => signBytes(encodeOffchainMessage(1, AUTH_TEXT, [address, stranger]))],
  ])("reports %s as a wrong account", async (_caseName, answer) => {
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

  describe.each(OFFCHAIN_SIGNERS)("of a wallet that signs $form, format $format", ({ form, sign }) => {
    const signature = sign(encodeUtf8(SERVICE_WALLET_TEXT));
    const offchainServiceWallet = deriveServiceWalletPublicKey(signature, address, 0, form);

    test("is registered only after its recovery was saved", async () => {
      const { calls, posted } = createService();
      const saved: Recovery[] = [];
      const saveRecovery = async (recovery: Recovery) => {
        expect(posted).toEqual([]);
        saved.push(recovery);
      };
      const { keys } = await createServiceWallet(calls, createWallet(sign, sign), { saveRecovery });
      expect(bs58.encode(keys.publicKey)).toBe(offchainServiceWallet);
      expect(saved).toEqual([{ serviceWallet: offchainServiceWallet, form, signature: toBase64(signature) }]);
      expect(posted).toHaveLength(1);
      for (const text of [toBase64(signature), bs58.encode(signature), toHex(signature)])
        expect(posted[0]).not.toContain(text);
    });

    test("is not registered if the recovery cannot be saved, or not at all", async () => {
      const { calls, posted } = createService();
      const saveRecovery = () => Promise.reject(new Error("the disk is full"));
      await expect(createServiceWallet(calls, createWallet(sign, sign), { saveRecovery })).rejects.toThrow("disk");
      await expect(createServiceWallet(calls, createWallet(sign, sign))).rejects.toBeInstanceOf(RecoveryNotSavedError);
      expect(posted).toEqual([]);
    });

    test("is not created if the wallet signs the text plainly the second time", async () => {
      const { calls, posted } = createService();
      const saveRecovery = () => Promise.reject(new Error("must not be saved"));
      const creation = createServiceWallet(calls, createWallet(sign, signBytes), { saveRecovery });
      await expect(creation).rejects.toBeInstanceOf(NotDeterministicError);
      expect(posted).toEqual([]);
    });

    test("is created silently only if the owner has saved into it, or into none", async () => {
      const create = (serviceWallets: string[], options: Partial<CreationOptions> = {}) =>
        createServiceWallet(createService({ serviceWallets }).calls, createWallet(sign, sign), {
          saveRecovery: async () => {},
          ...options,
        });
      await create([serviceWallet, offchainServiceWallet]);
      await expect(create([serviceWallet])).rejects.toMatchObject({ existing: [serviceWallet] });
      const refuse = create([serviceWallet], { acceptNew: async () => false });
      await expect(refuse).rejects.toBeInstanceOf(OtherServiceWalletError);
      const asked: string[][] = [];
      await create([serviceWallet], { acceptNew: async (existing) => asked.push(existing) === 1 });
      expect(asked).toEqual([[serviceWallet]]);
    });

    test("is opened by the same form only", async () => {
      const open = (wallet: TextSigner) => openServiceWallet(createService().calls, wallet, offchainServiceWallet);
      expect(bs58.encode((await open(createWallet(sign))).publicKey)).toBe(offchainServiceWallet);
      await expect(open(createWallet())).rejects.toBeInstanceOf(NotDeterministicError);
    });
  });

  test("is another one for each form and format", () => {
    const wallets = OFFCHAIN_SIGNERS.map(({ form, sign }) =>
      deriveServiceWalletPublicKey(sign(encodeUtf8(SERVICE_WALLET_TEXT)), address, 0, form),
    );
    expect(new Set([serviceWallet, ...wallets]).size).toBe(4);
  });

  test("of a plain signature replaces another one only if `acceptNew` accepts that", async () => {
    const { calls, posted } = createService({ serviceWallets: [address] });
    const acceptNew = async () => false;
    await expect(createServiceWallet(calls, createWallet(), { acceptNew })).rejects.toThrow(address);
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

test("an exported key opens the same wallet in web3.js and in wallet apps", () => {
  const keys = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(7));
  const { base58, json } = exportKey(keys);
  for (const bytes of [bs58.decode(base58), Uint8Array.from(JSON.parse(json))]) {
    expect(bytes).toHaveLength(64);
    expect(Keypair.fromSecretKey(bytes).publicKey.toBase58()).toBe(bs58.encode(keys.publicKey));
  }
});
