import { createSignInMessageText } from "@solana/wallet-standard-util";
import { beforeEach, expect, test } from "vitest";
import { createSignInFields } from "../../../lib/domain/sign-in-fields";
import { type Authenticator, createAuthenticator } from "../../../lib/http/authenticate";
import { generateKey } from "../../../lib/services/generate-key";
import { getAuthNonce } from "../../../lib/services/get-auth-nonce";
import { encodeUtf8, toBase64 } from "../../../lib/solana/bytes";
import { createFakeDeps, createOutage, type FakeDeps } from "../../support/fakes/fake-deps";
import { signText, toTestWallet } from "../../support/fixtures/test-wallets";
import { toContext } from "../../support/worlds/keys-rig";

const ORIGIN = "https://roundup.example";
const MINUTE_MS = 60_000;
const owner = toTestWallet("sign-in owner");
const stranger = toTestWallet("sign-in stranger");

let deps: FakeDeps;
let authenticator: Authenticator;
let nonce: string;
beforeEach(async () => {
  deps = Object.assign(createFakeDeps(), { network: "mainnet-beta", deployment: ORIGIN } as const);
  authenticator = createAuthenticator(deps);
  ({ nonce } = await getAuthNonce(deps));
});

type Fields = Parameters<typeof createSignInMessageText>[0];
const createMessage = (overrides: Partial<Fields> = {}) =>
  createSignInMessageText({ ...createSignInFields(ORIGIN, ORIGIN, nonce), address: owner.address, ...overrides });
const createHeaders = (text: string, signer = owner, wallet = owner) => ({
  "x-wallet": wallet.address,
  "x-siws-message": toBase64(encodeUtf8(text)),
  "x-signature": signText(signer, text),
});
const authenticateHeaders = (headers: Record<string, string>) =>
  authenticator.authenticate(new Headers(headers), "wallet");
const expectRefusal = (headers: Record<string, string>) =>
  expect(authenticateHeaders(headers)).rejects.toMatchObject({ code: "credentials_invalid", status: 401 });

test("a sign-in identifies the wallet that signed it and the time of its nonce", async () => {
  const caller = { kind: "wallet", wallet: owner.address, signedInAt: deps.clock.now() };
  await deps.clock.advance(5_000);
  expect(await authenticateHeaders(createHeaders(createMessage()))).toEqual(caller);
});

test("a message may contain fields that a wallet adds", async () => {
  const issuedAt = new Date(deps.clock.now()).toISOString();
  const text = createMessage({ issuedAt, requestId: "7", resources: ["https://roundup.example/docs"] });
  expect(await authenticateHeaders(createHeaders(text))).toMatchObject({ wallet: owner.address });
});

test.each<[string, (text: string) => Record<string, string>]>([
  ["signed by another wallet", (text) => createHeaders(text, stranger)],
  ["sent for another wallet", (text) => createHeaders(text, owner, stranger)],
  ["without a signature", (text) => ({ ...createHeaders(text), "x-signature": "" })],
  ["without a wallet", (text) => ({ ...createHeaders(text), "x-wallet": "" })],
  ["with a line break after its text", (text) => createHeaders(`${text}\n`)],
  ["with a byte order mark", (text) => createHeaders(`\uFEFF${text}`)],
  ["that is not base64", (text) => ({ ...createHeaders(text), "x-siws-message": text.replaceAll("\n", " ") })],
  ["with more than 64 lines", (text) => createHeaders(`${text}\nResources:${"\n- a".repeat(64)}`)],
  ["that is too long", (text) => createHeaders(`${text}\nResources:${"\n- https://a.example".repeat(80)}`)],
])("a message %s is refused", async (_, changeHeaders) => {
  await expectRefusal(changeHeaders(createMessage()));
});

test.each<[string, Partial<Fields>]>([
  ["for another domain", { domain: "evil.example" }],
  ["for another URI", { uri: "https://evil.example" }],
  ["for another page's domain and URI", { domain: "evil.example", uri: "https://evil.example" }],
  ["for http", { uri: "http://roundup.example" }],
  ["without a URI", { uri: undefined }],
  ["for another chain", { chainId: "solana:devnet" }],
  ["without a chain", { chainId: undefined }],
  ["of another version", { version: "2" }],
  ["with another statement", { statement: "Sign in to Evil" }],
  ["without a statement", { statement: undefined }],
  ["without a nonce", { nonce: undefined }],
  ["with a made-up nonce", { nonce: "0".repeat(44) }],
  ["with an unreadable expiration time", { expirationTime: "tomorrow" }],
])("a message %s is refused", async (_, overrides) => {
  await expectRefusal(createHeaders(createMessage(overrides)));
});

test("a nonce with a changed digit in its time or HMAC is refused", async () => {
  for (const digitIndex of [11, 43]) {
    const otherDigit = nonce[digitIndex] === "0" ? "1" : "0";
    const changedNonce = nonce.slice(0, digitIndex) + otherDigit + nonce.slice(digitIndex + 1);
    await expectRefusal(createHeaders(createMessage({ nonce: changedNonce })));
  }
});

test("a sign-in is valid for 24 hours after its nonce", async () => {
  const headers = createHeaders(createMessage());
  await deps.clock.advance(24 * 60 * MINUTE_MS - 1);
  expect(await authenticateHeaders(headers)).toMatchObject({ wallet: owner.address });
  await deps.clock.advance(1);
  await expectRefusal(headers);
});

test("a sign-in is valid between the times that its message names", async () => {
  const formatTimeIn = (minutes: number) => new Date(deps.clock.now() + minutes * MINUTE_MS).toISOString();
  const headers = createHeaders(createMessage({ notBefore: formatTimeIn(5), expirationTime: formatTimeIn(10) }));
  await expectRefusal(headers);
  await deps.clock.advance(5 * MINUTE_MS);
  expect(await authenticateHeaders(headers)).toMatchObject({ wallet: owner.address });
  await deps.clock.advance(5 * MINUTE_MS);
  await expectRefusal(headers);
});

test("a sign-in creates API keys only within ten minutes of its nonce", async () => {
  const headers = createHeaders(createMessage());
  await deps.clock.advance(10 * MINUTE_MS - 1);
  expect(await generateKey(deps, {}, toContext(await authenticateHeaders(headers)))).toMatchObject({
    wallet: owner.address,
  });
  await deps.clock.advance(1);
  const failure = { code: "credentials_invalid", message: expect.stringContaining("Sign in again") };
  await expect(generateKey(deps, {}, toContext(await authenticateHeaders(headers)))).rejects.toMatchObject(failure);
});

test("a sandbox accepts any origin, because the statement names the sandbox", async () => {
  const sandbox = createFakeDeps();
  const fields = createSignInFields(sandbox.deployment, "http://localhost:3000", nonce);
  const headers = createHeaders(createSignInMessageText({ ...fields, address: owner.address }));
  const caller = await createAuthenticator(sandbox).authenticate(new Headers(headers), "wallet");
  expect(caller).toMatchObject({ wallet: owner.address });
  await expectRefusal(headers);
});

test("a sign-in fails with status 503, not 401, while the store with the secret fails", async () => {
  deps.readSignInSecret = () => Promise.reject(createOutage());
  await expect(authenticateHeaders(createHeaders(createMessage()))).rejects.toMatchObject({ status: 503 });
});
