import { beforeEach, describe, expect, test } from "vitest";
import { createStaticKeys } from "../../../lib/clients/process/static-keys";
import { createAuthText } from "../../../lib/domain/signed-texts";
import { DAY_MS } from "../../../lib/domain/time";
import { type Authenticator, createAuthenticator } from "../../../lib/http/authenticate";
import { createFakeDeps, type FakeDeps, failCalls } from "../../support/fakes/fake-deps";
import { signText, type TestWallet } from "../../support/fixtures/test-wallets";
import { AUTH_TEXT } from "../../support/fixtures/wallet-texts";
import { makeKey, otherOwner, owner, readKeys } from "../../support/worlds/keys-rig";

const STATIC_KEY = "static-key-0123456789abcdef0123456789abcdef";
const staticKeys = createStaticKeys([{ name: null, key: STATIC_KEY }]);

describe("authenticate", () => {
  let deps: FakeDeps;
  let authenticator: Authenticator;
  beforeEach(() => {
    deps = createFakeDeps();
    authenticator = createAuthenticator(deps);
  });

  const authenticateKey = (apiKey: string, rule: "caller" | "wallet" = "caller") =>
    authenticator.authenticate(new Headers({ "x-api-key": apiKey }), rule, staticKeys.find(apiKey));
  const createWalletHeaders = (wallet: TestWallet) => ({
    "x-wallet": wallet.address,
    "x-signature": signText(wallet, AUTH_TEXT),
  });

  test("accepts a key until the last millisecond before it expires", async () => {
    const { apiKey, expiresAt } = await makeKey(deps, owner, { expiresInDays: 1 });
    await deps.clock.advance(Date.parse(expiresAt) - deps.clock.now() - 1);
    expect(await authenticateKey(apiKey)).toMatchObject({ kind: "api-key" });
    await deps.clock.advance(1);
    await expect(authenticateKey(apiKey)).rejects.toMatchObject({ code: "credentials_invalid", status: 401 });
  });

  test("refuses an expired key whose record is still in the store", async () => {
    const { apiKey, id } = await makeKey(deps, owner, { expiresInDays: 1 });
    const record = await deps.kv.get<Record<string, string>>(`key:${id}`);
    await deps.kv.set(`key:${id}`, record!);
    await deps.clock.advance(DAY_MS);
    await expect(authenticateKey(apiKey)).rejects.toMatchObject({ code: "credentials_invalid" });
    expect(await readKeys(deps)).toEqual([]);
  });

  test("reports a failing store as an upstream failure, not as a wrong key", async () => {
    const { apiKey } = await makeKey(deps);
    deps.beforeCall = failCalls("get");
    await expect(authenticateKey(apiKey)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("refuses a signature over another deployment's text", async () => {
    const otherSignature = signText(owner, createAuthText("https://roundup.example"));
    const headers = new Headers({ "x-wallet": owner.address, "x-signature": otherSignature });
    await expect(authenticator.authenticate(headers, "caller")).rejects.toMatchObject({ code: "credentials_invalid" });
    const otherAuthenticator = createAuthenticator(Object.assign(deps, { deployment: "https://roundup.example" }));
    expect(await otherAuthenticator.authenticate(headers, "caller")).toEqual({ kind: "wallet", wallet: owner.address });
  });

  test("refuses invalid credentials even if credentials are optional", async () => {
    const authenticateOptionally = (headers: Record<string, string>) =>
      authenticator.authenticate(new Headers(headers), "optional");
    const { apiKey } = await makeKey(deps);
    expect(await authenticateOptionally({})).toEqual({ kind: "public", wallet: null });
    const keyCaller = { kind: "api-key", wallet: owner.address };
    expect(await authenticateOptionally({ "x-api-key": apiKey })).toMatchObject(keyCaller);
    expect(await authenticateOptionally(createWalletHeaders(otherOwner))).toEqual({
      kind: "wallet",
      wallet: otherOwner.address,
    });
    const wrongWallet = { ...createWalletHeaders(otherOwner), "x-wallet": owner.address };
    for (const headers of [{ "x-api-key": `${apiKey}0` }, wrongWallet] as Record<string, string>[])
      await expect(authenticateOptionally(headers)).rejects.toMatchObject({ code: "credentials_invalid" });
  });

  test("recognizes valid credentials on public endpoints without refusing invalid ones", async () => {
    const { apiKey } = await makeKey(deps);
    const checkCredentials = (headers: Record<string, string>) =>
      authenticator.hasValidCredentials(new Headers(headers), staticKeys.find(headers["x-api-key"] ?? ""));
    for (const headers of [createWalletHeaders(owner), { "x-api-key": apiKey }, { "x-api-key": STATIC_KEY }])
      expect(await checkCredentials(headers)).toBe(true);
    const wrongWallet = { ...createWalletHeaders(owner), "x-wallet": otherOwner.address };
    const wrongKey = { ...createWalletHeaders(owner), "x-api-key": "wrong" };
    const invalidHeaders: Record<string, string>[] = [{}, { "x-wallet": owner.address }, wrongWallet, wrongKey];
    for (const headers of invalidHeaders) expect(await checkCredentials(headers)).toBe(false);
    deps.beforeCall = failCalls("get");
    expect(await checkCredentials({ "x-api-key": apiKey })).toBe(false);
  });
});

describe("the time of a key's last use", () => {
  const countUseRecords = ({ calls }: FakeDeps) =>
    calls.filter(({ method, args }) => method === "set" && String(args[0]).startsWith("key-last-used:")).length;
  const readLastUsed = async (deps: FakeDeps) => (await readKeys(deps))[0]!.lastUsedAt;

  /** Makes a key. `callWithKey` authenticates a call with the key, by default in the first process. */
  async function createKeyCaller() {
    const deps = createFakeDeps();
    const { apiKey } = await makeKey(deps);
    deps.calls.length = 0;
    const firstProcess = createAuthenticator(deps);
    const callWithKey = ({ authenticate } = firstProcess) =>
      authenticate(new Headers({ "x-api-key": apiKey }), "caller");
    return { deps, callWithKey };
  }

  test("is recorded on the first use and then at most once an hour", async () => {
    const { deps, callWithKey } = await createKeyCaller();
    const firstUseTime = new Date(deps.clock.now()).toISOString();
    for (let minute = 0; minute < 60; minute++) {
      await callWithKey();
      await deps.clock.advance(60_000);
    }
    expect(countUseRecords(deps)).toBe(1);
    expect(await readLastUsed(deps)).toBe(firstUseTime);
    await callWithKey();
    await deps.clock.advance(0);
    expect(countUseRecords(deps)).toBe(2);
    expect(await readLastUsed(deps)).toBe(new Date(deps.clock.now()).toISOString());
  });

  test("does not delay the request, even when the store never answers", async () => {
    const { deps, callWithKey } = await createKeyCaller();
    deps.beforeCall = ({ method }) => (method === "setIfAbsent" ? new Promise(() => {}) : undefined);
    expect(await callWithKey()).toMatchObject({ kind: "api-key" });
  });
});
