import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type StoredKey, toKeyRecordKey, toPlaceKey } from "../../../../../lib/domain/api-key-store";
import { AppError } from "../../../../../lib/errors";
import { blockRecord, freePlace, takePlace, writeRecord } from "../../../../../lib/services/steps/keys/key-places";
import { type FakeDeps, fakeDeps } from "../../../../support/fakes/fake-deps";
import { memoryStore } from "../../../../support/store/memory-store";
import { makeKey, owner, readKeys, revokeById } from "../../../../support/worlds/keys-rig";

/** Tests the ten key places while the store loses calls, or the answers to them. */

const MINUTE_MS = 60_000;

/** @param losses of each next call: 1 loses the call, 2 its answer; none after the last */
function lossy(losses: number[]): FakeDeps {
  return fakeDeps((clock) => {
    const store = memoryStore(clock);
    return new Proxy(store, {
      get(_, method: keyof typeof store) {
        const member = store[method] as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          const loss = losses.shift() ?? 0;
          if (loss === 1) throw new AppError("upstream_unavailable");
          const answer = await member(...args);
          if (loss === 2) throw new AppError("upstream_timeout");
          return answer;
        };
      },
    });
  });
}

type Step = { kind: "make" | "revoke" | "wait"; pick: number };

/** Keys that a client received, and those whose revocation was requested or confirmed. */
interface Known {
  got: string[];
  asked: Set<string>;
  revoked: Set<string>;
}

async function run(deps: FakeDeps, { kind, pick }: Step, known: Known): Promise<void> {
  if (kind === "wait") return deps.clock.advance(pick * 20_000);
  const id = known.got[pick % known.got.length];
  if (kind === "revoke" && id !== undefined) {
    known.asked.add(id);
    await revokeById(deps, id);
    known.revoked.add(id);
  } else if (kind === "make") known.got.push((await makeKey(deps)).id);
}

async function makeAll(deps: FakeDeps): Promise<number> {
  let made = 0;
  for (; made <= 10; made++) {
    const refused = await makeKey(deps).then(
      () => null,
      ({ code }) => code,
    );
    if (refused !== null) {
      expect(refused).toBe("too_many_keys");
      break;
    }
  }
  return made;
}

/** `npm run fuzz` sets more. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 120);

test("no place is lost a minute after the last failure: every key is listed or revoked, and the rest can be made", {
  timeout: 60_000 + RUNS * 500,
}, async () => {
  const kind = fc.constantFrom<Step["kind"]>("make", "make", "make", "revoke", "revoke", "wait");
  const round = fc.array(fc.record({ kind, pick: fc.nat(9) }), { minLength: 1, maxLength: 4 });
  const loss = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 2) });
  const rounds = fc.array(round, { minLength: 1, maxLength: 12 });
  const property = fc.asyncProperty(rounds, fc.array(loss, { maxLength: 200 }), async (steps, losses) => {
    const deps = lossy(losses);
    const known: Known = { got: [], asked: new Set(), revoked: new Set() };
    for (const together of steps) await Promise.allSettled(together.map((step) => run(deps, step, known)));
    losses.length = 0;
    await deps.clock.advance(MINUTE_MS);

    const listed = (await readKeys(deps)).map(({ id }) => id);
    expect(new Set(listed).size).toBe(listed.length);
    for (const id of known.got) if (!known.asked.has(id)) expect(listed).toContain(id);
    for (const id of known.revoked) expect(listed).not.toContain(id);
    expect(await makeAll(deps)).toBe(10 - listed.length);

    // What was asked for is finished by asking again, however far it had come.
    for (const id of known.asked) expect(await revokeById(deps, id)).toEqual({ id, revoked: true });
    for (const { id } of await readKeys(deps)) await revokeById(deps, id);
    expect(await readKeys(deps)).toEqual([]);
    expect(await makeAll(deps)).toBe(10);
  });
  await fc.assert(property, { numRuns: RUNS });
});

test("a kill between any two calls to the store costs no place for longer than a minute", async () => {
  for (let calls = 0; calls <= 30; calls++) {
    const deps = fakeDeps();
    let left = calls;
    deps.before = () => {
      // What was killed never hears of its call again.
      if (left-- <= 0) return new Promise(() => {});
    };
    void makeKey(deps).then(({ id }) => revokeById(deps, id));
    await deps.clock.advance(1);
    deps.before = () => {};
    await deps.clock.advance(MINUTE_MS);
    const listed = await readKeys(deps);
    expect(listed.length).toBeLessThanOrEqual(1);
    expect(await makeAll(deps)).toBe(10 - listed.length);
  }
});

test("a place that an earlier version took, and whose key is gone, is free", async () => {
  const deps = fakeDeps();
  for (let place = 0; place < 10; place++)
    await deps.kv.set(toPlaceKey(owner.address, place), `0123456789abcde${place}`);
  expect(await makeAll(deps)).toBe(10);
});

describe("if another call changes the places between two store calls", () => {
  const ID = "0123456789abcdef";
  const placeOf = (place: number) => toPlaceKey(owner.address, place);
  const take = (deps: FakeDeps) => takePlace(deps, owner.address, ID, 1_000_000);

  /** All places are held since `since` by keys without a record. */
  async function held(since: number): Promise<FakeDeps> {
    const deps = fakeDeps();
    for (let place = 0; place < 10; place++) await deps.kv.set(placeOf(place), { id: `key ${place}`, since });
    return deps;
  }

  /** Runs `change` once, before the n-th call of this method. */
  function beforeCall(deps: FakeDeps, method: string, n: number, change: () => Promise<unknown>): void {
    let calls = 0;
    deps.before = (call) => {
      if (call.method !== method || ++calls !== n) return undefined;
      deps.before = () => {};
      return change().then(() => {});
    };
  }

  test("a place that is freed between the two reads causes no error", async () => {
    const deps = await held(fakeDeps().clock.now());
    beforeCall(deps, "getMany", 2, () => deps.kv.delete(placeOf(3)));
    await expect(take(deps)).rejects.toMatchObject({ code: "too_many_keys" });
  });

  test("a key takes the next place if another key took the first", async () => {
    const deps = await held(0);
    const other = { id: "another key", since: deps.clock.now() };
    beforeCall(deps, "replace", 1, () => deps.kv.set(placeOf(0), other));
    expect(await take(deps)).toBe(1);
    expect(await deps.kv.get(placeOf(0))).toEqual(other);
    expect(await deps.kv.get(placeOf(1))).toMatchObject({ id: ID });
  });

  test("a place that is already free can be freed again", async () => {
    const deps = fakeDeps();
    await freePlace(deps, { wallet: owner.address, place: 0, id: ID });
    expect(await deps.kv.get(placeOf(0))).toBeNull();
  });
});

test("a key whose record is written after its place went to another key is refused, and never lives", async () => {
  const deps = fakeDeps();
  let isFirst = true;
  deps.before = async ({ method, args }) => {
    if (!isFirst || method !== "setIfAbsent" || !String(args[0]).startsWith(toKeyRecordKey(""))) return;
    isFirst = false;
    await deps.clock.sleep(70_000);
  };
  const late = makeKey(deps);
  late.catch(() => {});
  await deps.clock.advance(MINUTE_MS + 1_000);
  for (let i = 0; i < 10; i++) await makeKey(deps);
  await deps.clock.advance(MINUTE_MS);
  await expect(late).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(await readKeys(deps)).toHaveLength(10);
});

describe("a place of an earlier version, which holds only the key's id", () => {
  async function withOldPlaces(): Promise<FakeDeps> {
    const deps = fakeDeps();
    for (let place = 0; place < 10; place++) {
      const { id } = await makeKey(deps);
      await deps.kv.set(toPlaceKey(owner.address, place), id);
    }
    return deps;
  }

  test("stays taken while its key lives, and the key is listed", async () => {
    const deps = await withOldPlaces();
    await deps.clock.advance(2 * MINUTE_MS);
    expect(await readKeys(deps)).toHaveLength(10);
    await expect(makeKey(deps)).rejects.toMatchObject({ code: "too_many_keys" });
  });

  test("is free once its key is revoked", async () => {
    const deps = await withOldPlaces();
    await revokeById(deps, (await readKeys(deps))[3]!.id);
    await makeKey(deps);
    expect(await readKeys(deps)).toHaveLength(10);
  });
});

test("freeing a key's place leaves another key alone that holds it and has no record yet", async () => {
  const deps = fakeDeps();
  await takePlace(deps, owner.address, "new key", MINUTE_MS);
  await freePlace(deps, { wallet: owner.address, place: 0, id: "old key" });
  expect(await deps.kv.get(toPlaceKey(owner.address, 0))).toMatchObject({ id: "new key" });
  expect(await deps.kv.get(toKeyRecordKey("new key"))).toBeNull();
});

test("a barred record is never written afterwards", async () => {
  const deps = fakeDeps();
  const { id } = await makeKey(deps);
  await blockRecord(deps, id);
  const key = { id, wallet: owner.address, place: 0 } as StoredKey;
  expect(await writeRecord(deps, key, MINUTE_MS)).toBe(false);
  expect(await readKeys(deps)).toEqual([]);
});
