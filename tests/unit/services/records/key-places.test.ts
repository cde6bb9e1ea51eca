import fc from "fast-check";
import { expect, test } from "vitest";
import { STORE_KEYS } from "../../../../lib/domain/store-keys";
import { AppError } from "../../../../lib/errors";
import { freeKeyPlace, takeKeyPlace } from "../../../../lib/services/records/key-places";
import { createFakeDeps, type FakeDeps } from "../../../support/fakes/fake-deps";
import { createMemoryStore } from "../../../support/store/memory-store";
import { makeKey, owner, readKeys, revokeById } from "../../../support/worlds/keys-rig";
import { readErrorCode } from "../../../support/worlds/relay-rig";

/* Tests a wallet's ten places for API keys while the store loses calls or the answers to them. */

const MINUTE_MS = 60_000;

type Loss = "none" | "call" | "answer";

/**
 * Creates dependencies whose store loses calls or the answers to them.
 * @param losses what each call loses, in order. Calls after the last entry lose nothing.
 */
function createLossyDeps(losses: Loss[]): FakeDeps {
  return createFakeDeps((clock) => {
    const store = createMemoryStore(clock);
    return new Proxy(store, {
      get(_, method: keyof typeof store) {
        const member = store[method] as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          const loss = losses.shift() ?? "none";
          if (loss === "call") throw new AppError("upstream_unavailable");
          const answer = await member(...args);
          if (loss === "answer") throw new AppError("upstream_timeout");
          return answer;
        };
      },
    });
  });
}

/** One call of a client. `index` chooses a received key, or is the wait in units of 20 s. */
type Step = { kind: "make" | "revoke" | "wait"; index: number };

/** The ids of the keys that a client received, and of those whose revocation it requested or got confirmed. */
interface ClientKeys {
  received: string[];
  revocationRequested: Set<string>;
  revocationConfirmed: Set<string>;
}

async function runStep(deps: FakeDeps, { kind, index }: Step, keys: ClientKeys): Promise<void> {
  if (kind === "wait") return deps.clock.advance(index * 20_000);
  const id = keys.received[index % keys.received.length];
  if (kind === "revoke" && id !== undefined) {
    keys.revocationRequested.add(id);
    await revokeById(deps, id);
    keys.revocationConfirmed.add(id);
  } else if (kind === "make") keys.received.push((await makeKey(deps)).id);
}

/** Makes keys until the limit refuses one. Returns how many were made. */
async function makeUntilRefused(deps: FakeDeps): Promise<number> {
  for (let count = 0; count <= 10; count++) {
    const code = await makeKey(deps).then(() => null, readErrorCode);
    if (code === "too_many_keys") return count;
    expect(code).toBeNull();
  }
  throw new Error("no key was refused");
}

/** The number of random histories. `npm run fuzz` sets more. */
const RUN_COUNT = Number(process.env.FUZZ_RUNS ?? 120);

test("every key is listed or revoked, and every other place is free, a minute after the last store failure", {
  timeout: 60_000 + RUN_COUNT * 500,
}, async () => {
  const anyKind = fc.constantFrom<Step["kind"]>("make", "make", "make", "revoke", "revoke", "wait");
  const anyRound = fc.array(fc.record({ kind: anyKind, index: fc.nat(9) }), { minLength: 1, maxLength: 4 });
  const anyLoss = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Loss>("none") },
    { weight: 1, arbitrary: fc.constantFrom<Loss>("call", "answer") },
  );
  const anyRounds = fc.array(anyRound, { minLength: 1, maxLength: 12 });
  const property = fc.asyncProperty(anyRounds, fc.array(anyLoss, { maxLength: 200 }), async (rounds, losses) => {
    const deps = createLossyDeps(losses);
    const keys: ClientKeys = { received: [], revocationRequested: new Set(), revocationConfirmed: new Set() };
    for (const steps of rounds) await Promise.allSettled(steps.map((step) => runStep(deps, step, keys)));
    losses.length = 0;
    await deps.clock.advance(MINUTE_MS);

    const listedIds = (await readKeys(deps)).map(({ id }) => id);
    expect(new Set(listedIds).size).toBe(listedIds.length);
    for (const id of keys.received) if (!keys.revocationRequested.has(id)) expect(listedIds).toContain(id);
    for (const id of keys.revocationConfirmed) expect(listedIds).not.toContain(id);
    expect(await makeUntilRefused(deps)).toBe(10 - listedIds.length);

    // A repeated revocation finishes one that failed at any point.
    for (const id of keys.revocationRequested) expect(await revokeById(deps, id)).toEqual({ id, revoked: true });
    for (const { id } of await readKeys(deps)) await revokeById(deps, id);
    expect(await readKeys(deps)).toEqual([]);
    expect(await makeUntilRefused(deps)).toBe(10);
  });
  await fc.assert(property, { numRuns: RUN_COUNT });
});

test("a process killed between any two store calls blocks a place for at most a minute", async () => {
  for (let answeredCalls = 0; answeredCalls <= 30; answeredCalls++) {
    const deps = createFakeDeps();
    let remainingCalls = answeredCalls;
    deps.beforeCall = () => {
      // A killed process never gets the answer to its call.
      if (remainingCalls-- <= 0) return new Promise(() => {});
    };
    void makeKey(deps).then(({ id }) => revokeById(deps, id));
    await deps.clock.advance(1);
    deps.beforeCall = () => {};
    await deps.clock.advance(MINUTE_MS);
    const listedKeys = await readKeys(deps);
    expect(listedKeys.length).toBeLessThanOrEqual(1);
    expect(await makeUntilRefused(deps)).toBe(10 - listedKeys.length);
  }
});

test("a place that is freed between two reads of the places causes no internal error", async () => {
  const deps = createFakeDeps();
  const toPlaceKey = (place: number) => STORE_KEYS.keyPlace.toKey(owner.address, place);
  for (let place = 0; place < 10; place++)
    await deps.kv.set(toPlaceKey(place), { id: `key ${place}`, since: deps.clock.now() });
  let readCount = 0;
  deps.beforeCall = async ({ method }) => {
    if (method === "getMany" && ++readCount === 2) await deps.kv.delete(toPlaceKey(3));
  };
  await expect(makeKey(deps)).rejects.toMatchObject({ code: "too_many_keys" });
});

test("a key whose record is written after another key took its place is refused", async () => {
  const deps = createFakeDeps();
  let isFirst = true;
  deps.beforeCall = async ({ method, args }) => {
    if (!isFirst || method !== "setIfAbsent" || !String(args[0]).startsWith(STORE_KEYS.apiKey.toKey(""))) return;
    isFirst = false;
    await deps.clock.sleep(70_000);
  };
  const delayedKey = makeKey(deps);
  delayedKey.catch(() => {});
  await deps.clock.advance(MINUTE_MS + 1_000);
  for (let i = 0; i < 10; i++) await makeKey(deps);
  await deps.clock.advance(MINUTE_MS);
  await expect(delayedKey).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(await readKeys(deps)).toHaveLength(10);
});

test("freeing a place for an old key keeps a new key in it, even before the new key has a record", async () => {
  const deps = createFakeDeps();
  await takeKeyPlace(deps, owner.address, "new key", MINUTE_MS);
  await freeKeyPlace(deps, { wallet: owner.address, place: 0, id: "old key" });
  expect(await deps.kv.get(STORE_KEYS.keyPlace.toKey(owner.address, 0))).toMatchObject({ id: "new key" });
});
