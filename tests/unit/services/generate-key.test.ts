import { beforeEach, describe, expect, test } from "vitest";
import { generateKeyContract } from "../../../lib/contracts/generate-key";
import { hashApiKey } from "../../../lib/domain/api-key";
import type { StoredKey } from "../../../lib/domain/api-key-store";
import { DAY_MS } from "../../../lib/domain/prices/price-history";
import type { Caller } from "../../../lib/ports/request-context";
import { generateKey } from "../../../lib/services/generate-key";
import { parseInput } from "../../support/client/contract-input";
import { type FakeDeps, fakeDeps, outage } from "../../support/fakes/fake-deps";
import { signText, type TestWallet, testWallet } from "../../support/fixtures/test-wallets";
import { AUTH_TEXT } from "../../support/fixtures/texts";
import {
  asWallet,
  makeKey,
  type NewKey,
  other,
  owner,
  PUBLIC,
  readKeys,
  revokeById,
  toContext,
} from "../../support/worlds/keys-rig";

/** The time after which a place without a key record is free again. */
const GRACE_MS = 60_000;

describe("a wallet's keys", () => {
  let deps: FakeDeps;
  beforeEach(() => {
    deps = fakeDeps();
  });

  test("50 simultaneous calls make and list exactly 10 keys", async () => {
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => makeKey(deps)));
    const keys = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
    expect(keys).toHaveLength(10);
    expect(refusals).toEqual(Array.from({ length: 40 }, () => "too_many_keys"));
    expect(new Set(keys.map(({ apiKey }) => apiKey)).size).toBe(10);
    expect((await readKeys(deps)).map(({ id }) => id).sort()).toEqual(keys.map(({ id }) => id).sort());
  });

  test("each wallet has a separate limit", async () => {
    const wallets = [owner, other].flatMap((wallet) => Array.from({ length: 10 }, () => makeKey(deps, wallet)));
    await Promise.all(wallets);
    await expect(makeKey(deps, owner)).rejects.toMatchObject({ code: "too_many_keys" });
    expect(await readKeys(deps, other)).toHaveLength(10);
    expect(await readKeys(deps, testWallet("nobody"))).toEqual([]);
  });

  test("a revoked key frees exactly one place, however often it is revoked", async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => makeKey(deps)));
    const revocations = await Promise.allSettled(Array.from({ length: 5 }, () => revokeById(deps, keys[3]!.id)));
    expect(revocations.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    const results = await Promise.allSettled([makeKey(deps), makeKey(deps), makeKey(deps)]);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await readKeys(deps)).toHaveLength(10);
    await deps.clock.advance(GRACE_MS);
    await revokeById(deps, keys[3]!.id);
    expect(await readKeys(deps)).toHaveLength(10);
  });

  test("a key is listed and holds its place until the millisecond of its expiry", async () => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => makeKey(deps, owner, { expiresInDays: i === 0 ? 1 : 90 })));
    await deps.clock.advance(DAY_MS - 1);
    expect(await readKeys(deps)).toHaveLength(10);
    await deps.clock.advance(1);
    expect(await readKeys(deps)).toHaveLength(9);
    await makeKey(deps);
    expect(await readKeys(deps)).toHaveLength(10);
    await expect(makeKey(deps)).rejects.toMatchObject({ code: "too_many_keys" });
  });

  test("revoking another wallet's key, an expired key or an unknown key answers not_found", async () => {
    const key = await makeKey(deps);
    const { id: expired } = await makeKey(deps, other, { expiresInDays: 1 });
    await deps.clock.advance(DAY_MS);
    await expect(revokeById(deps, key.id, other)).rejects.toMatchObject({ code: "not_found" });
    await expect(revokeById(deps, expired, other)).rejects.toMatchObject({ code: "not_found" });
    await expect(revokeById(deps, "0123456789abcdef")).rejects.toMatchObject({ code: "not_found" });
    expect(await readKeys(deps)).toHaveLength(1);
  });

  test("the list shows all fields except the key itself, oldest first", async () => {
    const createdKeys: NewKey[] = [];
    for (const name of ["first", "second", undefined]) {
      createdKeys.push(await makeKey(deps, owner, name ? { name } : {}));
      await deps.clock.advance(1_000);
    }
    const keys = await readKeys(deps);
    expect(keys).toEqual(
      createdKeys.map(({ apiKey: _, usage: __, ...listedKey }) => ({ ...listedKey, lastUsedAt: null })),
    );
    expect(keys.map(({ name }) => name)).toEqual(["first", "second", null]);
    for (const { createdAt, expiresAt } of keys)
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(90 * DAY_MS);
  });
});

describe("generateKey", () => {
  const createRequest = (wallet?: TestWallet, text = AUTH_TEXT) =>
    parseInput(generateKeyContract, wallet ? { wallet: wallet.address, signature: signText(wallet, text) } : {});

  test("makes a key for a wallet that signs in the body or in the headers", async () => {
    const deps = fakeDeps();
    expect(await generateKey(deps, createRequest(owner), PUBLIC)).toMatchObject({ wallet: owner.address });
    expect(await generateKey(deps, createRequest(), asWallet(owner))).toMatchObject({ wallet: owner.address });
  });

  test.each<[string, Caller]>([
    ["a static key", { kind: "static-key", wallet: null, keyId: "0" }],
    ["a key of the wallet", { kind: "api-key", wallet: owner.address, keyId: "0123456789abcdef" }],
    ["a public call", { kind: "public", wallet: null }],
  ])("makes and stores no key for %s alone", async (_who, caller) => {
    const deps = fakeDeps();
    await expect(generateKey(deps, createRequest(), toContext(caller))).rejects.toMatchObject({
      code: "credentials_missing",
    });
    expect(deps.calls).toEqual([]);
  });

  test("makes no key for a signature over another text, of another wallet, or without its wallet", async () => {
    const deps = fakeDeps();
    const signature = signText(other, AUTH_TEXT);
    const foreignSignature = parseInput(generateKeyContract, { wallet: owner.address, signature });
    await expect(generateKey(deps, createRequest(owner, "another text"), PUBLIC)).rejects.toMatchObject({
      code: "credentials_invalid",
    });
    await expect(generateKey(deps, foreignSignature, asWallet(owner))).rejects.toMatchObject({
      code: "credentials_invalid",
    });
    const signatureOnly = parseInput(generateKeyContract, { signature });
    await expect(generateKey(deps, signatureOnly, PUBLIC)).rejects.toMatchObject({ code: "credentials_missing" });
    expect(deps.calls).toEqual([]);
  });

  test("stores a digest instead of the key or its secret", async () => {
    const written: string[] = [];
    const deps = fakeDeps();
    deps.before = ({ args }) => void written.push(JSON.stringify(args));
    const { apiKey } = await makeKey(deps);
    const secret = apiKey.split("_")[3]!.slice(0, 44);
    expect(written.some((args) => args.includes(hashApiKey(apiKey)))).toBe(true);
    expect(written.some((args) => args.includes(secret))).toBe(false);
  });

  test("frees the place of a key that could not be stored", async () => {
    const deps = fakeDeps();
    deps.before = ({ method, args }) => {
      if (method === "setIfAbsent" && (args[1] as Partial<StoredKey>).digest !== undefined) throw outage();
    };
    for (let i = 0; i < 10; i++) await expect(makeKey(deps)).rejects.toMatchObject({ code: "upstream_unavailable" });
    deps.before = () => {};
    await Promise.all(Array.from({ length: 10 }, () => makeKey(deps)));
    expect(await readKeys(deps)).toHaveLength(10);
  });
});
