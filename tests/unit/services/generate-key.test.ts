import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { openLmdbStore } from "../../../lib/clients/store/kv-lmdb";
import { generateKeyContract } from "../../../lib/contracts/generate-key";
import { hashApiKey } from "../../../lib/domain/api-key";
import type { StoredKey } from "../../../lib/domain/api-key-store";
import type { KvStore } from "../../../lib/ports/kv-store";
import type { Caller } from "../../../lib/ports/request-context";
import { generateKey } from "../../../lib/services/generate-key";
import { inputOf } from "../../support/client/contract-input";
import { type FakeDeps, fakeDeps, unavailable } from "../../support/fakes/fake-deps";
import { signed, type TestWallet, testWallet } from "../../support/fixtures/test-wallets";
import { AUTH_TEXT } from "../../support/fixtures/texts";
import { memoryStore } from "../../support/store/memory-store";
import {
  as,
  contextOf,
  DAY_MS,
  list,
  type Made,
  make,
  other,
  owner,
  PUBLIC,
  revoke,
} from "../../support/worlds/keys-rig";

/** A place without a key is free again after this. */
const GRACE_MS = 60_000;
const scratch = mkdtempSync(join(tmpdir(), "roundup-keys-"));
const opened: KvStore[] = [];
afterAll(async () => {
  for (const store of opened) await store.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** A separate store, and the clock that decides which of its entries have expired. */
function embedded(clock: { now(): number }): KvStore {
  const store = openLmdbStore({ path: join(scratch, String(opened.length)), clock });
  opened.push(store);
  return store;
}

describe.each([
  ["in memory", memoryStore],
  ["embedded", embedded],
])("keys in the store %s", (_name, open) => {
  let deps: FakeDeps;
  beforeEach(() => {
    deps = fakeDeps(open);
  });

  test("50 made at once: exactly 10 are, the others are refused as too many, and all 10 are listed", async () => {
    const made = await Promise.allSettled(Array.from({ length: 50 }, () => make(deps)));
    const keys = made.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const refusals = made.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
    expect(keys).toHaveLength(10);
    expect(refusals).toEqual(Array.from({ length: 40 }, () => "too_many_keys"));
    expect(new Set(keys.map(({ apiKey }) => apiKey)).size).toBe(10);
    expect((await list(deps)).map(({ id }) => id).sort()).toEqual(keys.map(({ id }) => id).sort());
  });

  test("the limit is each wallet's own", async () => {
    const wallets = [owner, other].flatMap((wallet) => Array.from({ length: 10 }, () => make(deps, wallet)));
    await Promise.all(wallets);
    await expect(make(deps, owner)).rejects.toMatchObject({ code: "too_many_keys" });
    expect(await list(deps, other)).toHaveLength(10);
    expect(await list(deps, testWallet("nobody"))).toEqual([]);
  });

  test("a revoked key frees its place, once, however often it is revoked; each revocation answers the same", async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => make(deps)));
    const revocations = await Promise.allSettled(Array.from({ length: 5 }, () => revoke(deps, keys[3]!.id)));
    expect(revocations.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    const made = await Promise.allSettled([make(deps), make(deps), make(deps)]);
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await list(deps)).toHaveLength(10);
    await deps.clock.advance(GRACE_MS);
    await revoke(deps, keys[3]!.id);
    expect(await list(deps)).toHaveLength(10);
  });

  test("an expired key is not listed from its very millisecond, and frees its place with it", async () => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => make(deps, owner, { expiresInDays: i === 0 ? 1 : 90 })));
    await deps.clock.advance(DAY_MS - 1);
    expect(await list(deps)).toHaveLength(10);
    await deps.clock.advance(1);
    expect(await list(deps)).toHaveLength(9);
    await make(deps);
    expect(await list(deps)).toHaveLength(10);
    await expect(make(deps)).rejects.toMatchObject({ code: "too_many_keys" });
  });

  test("someone else's key, an expired one and one that never was are all not found, and stay as they are", async () => {
    const key = await make(deps);
    const { id: expired } = await make(deps, other, { expiresInDays: 1 });
    await deps.clock.advance(DAY_MS);
    await expect(revoke(deps, key.id, other)).rejects.toMatchObject({ code: "not_found" });
    await expect(revoke(deps, expired, other)).rejects.toMatchObject({ code: "not_found" });
    await expect(revoke(deps, "0123456789abcdef")).rejects.toMatchObject({ code: "not_found" });
    expect(await list(deps)).toHaveLength(1);
  });

  test("the list says all but the key itself, oldest first", async () => {
    const made: Made[] = [];
    for (const name of ["first", "second", undefined]) {
      made.push(await make(deps, owner, name ? { name } : {}));
      await deps.clock.advance(1_000);
    }
    const keys = await list(deps);
    expect(keys).toEqual(made.map(({ apiKey: _, usage: __, ...shown }) => ({ ...shown, lastUsedAt: null })));
    expect(keys.map(({ name }) => name)).toEqual(["first", "second", null]);
    for (const { createdAt, expiresAt } of keys)
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(90 * DAY_MS);
  });
});

describe("who makes keys", () => {
  const asked = (wallet?: TestWallet, text = AUTH_TEXT) =>
    inputOf(generateKeyContract, wallet ? { wallet: wallet.address, signature: signed(wallet, text) } : {});

  test("a wallet, by its signature in the body or in the headers", async () => {
    const deps = fakeDeps();
    expect(await generateKey(deps, asked(owner), PUBLIC)).toMatchObject({ wallet: owner.address });
    expect(await generateKey(deps, asked(), as(owner))).toMatchObject({ wallet: owner.address });
  });

  test.each<[string, Caller]>([
    ["a static key", { kind: "static-key", wallet: null, keyId: "0" }],
    ["a key of the wallet", { kind: "api-key", wallet: owner.address, keyId: "0123456789abcdef" }],
    ["nobody", { kind: "public", wallet: null }],
  ])("%s alone makes none, and nothing is stored", async (_who, caller) => {
    const deps = fakeDeps();
    await expect(generateKey(deps, asked(), contextOf(caller))).rejects.toMatchObject({ code: "credentials_missing" });
    expect(deps.calls).toEqual([]);
  });

  test("a signature over another text, of another wallet, or without its wallet makes none", async () => {
    const deps = fakeDeps();
    const signature = signed(other, AUTH_TEXT);
    const wrong = inputOf(generateKeyContract, { wallet: owner.address, signature });
    await expect(generateKey(deps, asked(owner, "another text"), PUBLIC)).rejects.toMatchObject({
      code: "credentials_invalid",
    });
    await expect(generateKey(deps, wrong, as(owner))).rejects.toMatchObject({ code: "credentials_invalid" });
    const alone = inputOf(generateKeyContract, { signature });
    await expect(generateKey(deps, alone, PUBLIC)).rejects.toMatchObject({ code: "credentials_missing" });
    expect(deps.calls).toEqual([]);
  });

  test("what is stored is a digest: neither the key nor its secret lies in the store", async () => {
    const written: string[] = [];
    const deps = fakeDeps();
    deps.before = ({ args }) => void written.push(JSON.stringify(args));
    const { apiKey } = await make(deps);
    const secret = apiKey.split("_")[3]!.slice(0, 44);
    expect(written.some((args) => args.includes(hashApiKey(apiKey)))).toBe(true);
    expect(written.some((args) => args.includes(secret))).toBe(false);
  });

  test("a key that could not be stored takes no place", async () => {
    const deps = fakeDeps();
    deps.before = ({ method, args }) => {
      if (method === "setIfAbsent" && (args[1] as Partial<StoredKey>).digest !== undefined) throw unavailable();
    };
    for (let i = 0; i < 10; i++) await expect(make(deps)).rejects.toMatchObject({ code: "upstream_unavailable" });
    deps.before = () => {};
    await Promise.all(Array.from({ length: 10 }, () => make(deps)));
    expect(await list(deps)).toHaveLength(10);
  });
});
