import { beforeEach, describe, expect, test } from "vitest";
import { hashApiKey } from "../../../lib/domain/api-key";
import type { StoredKey } from "../../../lib/domain/api-key-store";
import { DAY_MS } from "../../../lib/domain/time";
import type { ErrorCode } from "../../../lib/errors";
import type { Caller, RequestContext } from "../../../lib/ports/request-context";
import { generateKey } from "../../../lib/services/generate-key";
import { createFakeDeps, createOutage, type FakeDeps } from "../../support/fakes/fake-deps";
import { signText } from "../../support/fixtures/test-wallets";
import { AUTH_TEXT } from "../../support/fixtures/wallet-texts";
import {
  makeKey,
  otherOwner,
  owner,
  PUBLIC_CONTEXT,
  readKeys,
  revokeById,
  toContext,
  toWalletContext,
} from "../../support/worlds/keys-rig";

const KEY_CALLER: Caller = { kind: "api-key", wallet: owner.address, keyId: "0123456789abcdef" };
/** The time after which a place without a key record is free again. */
const GRACE_MS = 60_000;

const makeTenKeys = (deps: FakeDeps) => Promise.all(Array.from({ length: 10 }, () => makeKey(deps)));

describe("a wallet's keys", () => {
  let deps: FakeDeps;
  beforeEach(() => {
    deps = createFakeDeps();
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

  test("a revoked key frees exactly one place, however often it is revoked", async () => {
    const keys = await makeTenKeys(deps);
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

  test("an expired key is not found when it is revoked", async () => {
    const { id } = await makeKey(deps, owner, { expiresInDays: 1 });
    await deps.clock.advance(DAY_MS);
    await expect(revokeById(deps, id)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("generateKey", () => {
  const signature = signText(otherOwner, AUTH_TEXT);
  const foreignRequest = { wallet: owner.address, signature };
  const otherTextRequest = { wallet: owner.address, signature: signText(owner, "another text") };
  test.each<[string, ErrorCode, Parameters<typeof generateKey>[1], RequestContext]>([
    ["a static key alone", "credentials_missing", {}, toContext({ kind: "static-key", wallet: null, keyId: "0" })],
    ["a key of the wallet alone", "credentials_missing", {}, toContext(KEY_CALLER)],
    ["a public call", "credentials_missing", {}, PUBLIC_CONTEXT],
    ["a signature over another text", "credentials_invalid", otherTextRequest, PUBLIC_CONTEXT],
    ["another wallet's signature", "credentials_invalid", foreignRequest, toWalletContext(owner)],
    ["a signature without its wallet", "credentials_missing", { signature }, PUBLIC_CONTEXT],
  ])("makes and stores no key for %s, and answers %s", async (_caseName, code, request, context) => {
    const deps = createFakeDeps();
    await expect(generateKey(deps, request, context)).rejects.toMatchObject({ code });
    expect(deps.calls).toEqual([]);
  });

  test("stores a digest instead of the key or its secret", async () => {
    const writtenArguments: string[] = [];
    const deps = createFakeDeps();
    deps.beforeCall = ({ args }) => void writtenArguments.push(JSON.stringify(args));
    const { apiKey } = await makeKey(deps);
    const secret = apiKey.split("_")[3]!.slice(0, 44);
    expect(writtenArguments.some((args) => args.includes(hashApiKey(apiKey)))).toBe(true);
    expect(writtenArguments.some((args) => args.includes(secret))).toBe(false);
  });

  test("frees the place of a key that could not be stored", async () => {
    const deps = createFakeDeps();
    deps.beforeCall = ({ method, args }) => {
      if (method === "setIfAbsent" && (args[1] as Partial<StoredKey>).digest !== undefined) throw createOutage();
    };
    for (let i = 0; i < 10; i++) await expect(makeKey(deps)).rejects.toMatchObject({ code: "upstream_unavailable" });
    deps.beforeCall = () => {};
    await makeTenKeys(deps);
    expect(await readKeys(deps)).toHaveLength(10);
  });
});
