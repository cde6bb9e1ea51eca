import { beforeEach, describe, expect, test } from "vitest";
import { createStaticKeys } from "../../../lib/clients/process/static-keys";
import { DAY_MS } from "../../../lib/domain/prices/price-history";
import { createAuthText } from "../../../lib/domain/texts";
import { type Authenticator, createAuthenticator } from "../../../lib/http/authenticate";
import { createFakeDeps, type FakeDeps, failCalls } from "../../support/fakes/fake-deps";
import { signText, type TestWallet } from "../../support/fixtures/test-wallets";
import { AUTH_TEXT } from "../../support/fixtures/texts";
import { HOUR_MS, makeKey, type NewKey, other, owner, readKeys } from "../../support/worlds/keys-rig";

const STATIC_KEY = "static-key-0123456789abcdef0123456789abcdef";
const keys = createStaticKeys([{ name: null, key: STATIC_KEY }]);

describe("authenticate", () => {
  let deps: FakeDeps;
  let authenticator: Authenticator;
  beforeEach(() => {
    deps = createFakeDeps();
    authenticator = createAuthenticator(deps);
  });

  const callWith = (apiKey: string, extraHeaders: Record<string, string> = {}, staticKeys = keys) =>
    authenticator.authenticate(
      new Headers({ "x-api-key": apiKey, ...extraHeaders }),
      "caller",
      staticKeys.find(apiKey),
    );
  const createWalletHeaders = (wallet: TestWallet) => ({
    "x-wallet": wallet.address,
    "x-signature": signText(wallet, AUTH_TEXT),
  });

  test("accepts a key until the last millisecond before it expires", async () => {
    const { apiKey, expiresAt } = await makeKey(deps, owner, { expiresInDays: 1 });
    await deps.clock.advance(Date.parse(expiresAt) - deps.clock.now() - 1);
    expect(await callWith(apiKey)).toMatchObject({ kind: "api-key" });
    await deps.clock.advance(1);
    await expect(callWith(apiKey)).rejects.toMatchObject({ code: "credentials_invalid", status: 401 });
  });

  test("refuses an expired key that the store still holds", async () => {
    const { apiKey, id } = await makeKey(deps, owner, { expiresInDays: 1 });
    const record = await deps.kv.get<Record<string, string>>(`key:${id}`);
    await deps.kv.set(`key:${id}`, record!);
    await deps.clock.advance(DAY_MS);
    await expect(callWith(apiKey)).rejects.toMatchObject({ code: "credentials_invalid" });
    expect(await readKeys(deps)).toEqual([]);
  });

  test("refuses a malformed key without reading the store", async () => {
    deps.beforeCall = failCalls("kv");
    await expect(callWith(`ru_test_${"0".repeat(61)}`)).rejects.toMatchObject({ code: "credentials_invalid" });
    expect(deps.calls).toEqual([]);
  });

  test("reports a failing store as an upstream failure, not as a wrong key", async () => {
    const { apiKey } = await makeKey(deps);
    deps.beforeCall = failCalls("kv");
    await expect(callWith(apiKey)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("accepts a static key as a caller without a wallet, unless a wallet is required", async () => {
    const { id: keyId } = keys.find(STATIC_KEY)!;
    expect(await callWith(STATIC_KEY)).toEqual({ kind: "static-key", wallet: null, keyId });
    const headers = new Headers({ "x-api-key": STATIC_KEY });
    await expect(authenticator.authenticate(headers, "wallet", keys.find(STATIC_KEY))).rejects.toMatchObject({
      code: "credentials_missing",
    });
    expect(deps.calls).toEqual([]);
  });

  test("accepts two static keys of one name and applies a replacement at once", async () => {
    const [oldKey, newKey] = ["o".repeat(32), "n".repeat(32)];
    const shopKeys = createStaticKeys([{ name: "shop", key: oldKey }]);
    const call = (apiKey: string) => callWith(apiKey, {}, shopKeys);
    const shop = { kind: "static-key", wallet: null, name: "shop" };
    expect(await call(oldKey)).toMatchObject(shop);
    await expect(call(newKey)).rejects.toMatchObject({ code: "credentials_invalid" });
    shopKeys.replace([oldKey, newKey].map((key) => ({ name: "shop", key })));
    expect([await call(oldKey), await call(newKey)]).toMatchObject([shop, shop]);
    shopKeys.replace([{ name: "shop", key: newKey }]);
    await expect(call(oldKey)).rejects.toMatchObject({ code: "credentials_invalid" });
    expect(await call(newKey)).toMatchObject(shop);
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
    expect(await authenticateOptionally({ "x-api-key": apiKey })).toMatchObject({
      kind: "api-key",
      wallet: owner.address,
    });
    expect(await authenticateOptionally(createWalletHeaders(other))).toEqual({ kind: "wallet", wallet: other.address });
    const invalid = [{ "x-api-key": `${apiKey}0` }, { ...createWalletHeaders(other), "x-wallet": owner.address }];
    for (const headers of invalid as Record<string, string>[]) {
      await expect(authenticateOptionally(headers)).rejects.toMatchObject({ code: "credentials_invalid" });
    }
  });

  test("recognizes valid credentials on public endpoints without refusing invalid ones", async () => {
    const { apiKey } = await makeKey(deps);
    const checkCredentials = (headers: Record<string, string>) =>
      authenticator.hasValidCredentials(new Headers(headers), keys.find(headers["x-api-key"] ?? ""));
    for (const headers of [createWalletHeaders(owner), { "x-api-key": apiKey }, { "x-api-key": STATIC_KEY }]) {
      expect(await checkCredentials(headers)).toBe(true);
    }
    const wrongWallet = { ...createWalletHeaders(owner), "x-wallet": other.address };
    const wrongKey = { ...createWalletHeaders(owner), "x-api-key": "wrong" };
    const invalid: Record<string, string>[] = [{}, { "x-wallet": owner.address }, wrongWallet, wrongKey];
    for (const headers of invalid) {
      expect(await checkCredentials(headers)).toBe(false);
    }
    deps.beforeCall = failCalls("get");
    expect(await checkCredentials({ "x-api-key": apiKey })).toBe(false);
  });
});

describe("the time of a key's last use", () => {
  const createKeyHeaders = ({ apiKey }: NewKey) => new Headers({ "x-api-key": apiKey });
  const isUseRecord = ({ method, args }: FakeDeps["calls"][number]) =>
    method === "set" && String(args[0]).startsWith("key-last-used:");
  const readLastUsed = async (deps: FakeDeps) => (await readKeys(deps))[0]!.lastUsedAt;

  async function makeUnusedKey(deps: FakeDeps) {
    const key = await makeKey(deps);
    deps.calls.length = 0;
    return key;
  }

  test("is recorded on the first use and then at most once an hour", async () => {
    const deps = createFakeDeps();
    const key = await makeUnusedKey(deps);
    const { authenticate } = createAuthenticator(deps);
    const firstUseTime = new Date(deps.clock.now()).toISOString();
    for (let minute = 0; minute < 60; minute++) {
      await authenticate(createKeyHeaders(key), "caller");
      await deps.clock.advance(HOUR_MS / 60);
    }
    expect(deps.calls.filter(isUseRecord)).toHaveLength(1);
    expect(await readLastUsed(deps)).toBe(firstUseTime);
    await authenticate(createKeyHeaders(key), "caller");
    await deps.clock.advance(0);
    expect(deps.calls.filter(isUseRecord)).toHaveLength(2);
    expect(await readLastUsed(deps)).toBe(new Date(deps.clock.now()).toISOString());
  });

  test("is recorded once by several processes that share a store", async () => {
    const deps = createFakeDeps();
    const key = await makeUnusedKey(deps);
    const processes = Array.from({ length: 4 }, () => createAuthenticator(deps));
    await Promise.all(processes.map(({ authenticate }) => authenticate(createKeyHeaders(key), "caller")));
    await deps.clock.advance(0);
    expect(deps.calls.filter(isUseRecord)).toHaveLength(1);
  });

  test("does not delay the request, even when the store never answers", async () => {
    const deps = createFakeDeps();
    const key = await makeUnusedKey(deps);
    deps.beforeCall = ({ method }) => (method === "setIfAbsent" ? new Promise(() => {}) : undefined);
    const { authenticate } = createAuthenticator(deps);
    expect(await authenticate(createKeyHeaders(key), "caller")).toMatchObject({ kind: "api-key" });
  });

  test("is recorded on the next use after the recording failed", async () => {
    const deps = createFakeDeps();
    const key = await makeUnusedKey(deps);
    const { authenticate } = createAuthenticator(deps);
    deps.beforeCall = failCalls("setIfAbsent");
    await authenticate(createKeyHeaders(key), "caller");
    await deps.clock.advance(0);
    expect(await readLastUsed(deps)).toBeNull();
    deps.beforeCall = () => {};
    await authenticate(createKeyHeaders(key), "caller");
    await deps.clock.advance(0);
    expect(await readLastUsed(deps)).not.toBeNull();
  });

  test("is not recorded for refused keys", async () => {
    const deps = createFakeDeps();
    const key = await makeUnusedKey(deps);
    const { authenticate } = createAuthenticator(deps);
    await deps.clock.advance(90 * DAY_MS);
    await authenticate(createKeyHeaders(key), "caller").catch(() => {});
    await deps.clock.advance(0);
    expect(deps.calls.every(({ method }) => method === "get")).toBe(true);
  });
});
