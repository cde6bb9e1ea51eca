import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { QuotaUser } from "../../../../lib/clients/quota/quota-port";
import { createTurns, type Turn } from "../../../../lib/clients/quota/turns";

interface TestCall extends Turn {
  name: string;
}

const KINDS = ["service", "static-key", "address"] as const;
const createUser = (id: string, kind: QuotaUser["kind"] = "address"): QuotaUser => ({ priority: "money", kind, id });

/** Adds calls that are named after their party and numbered in their order. */
function createTestTurns() {
  const turns = createTurns<TestCall>();
  let callCount = 0;
  const add = (user: QuotaUser, { rank = 0, isWanted = () => true }: Partial<Turn> = {}): TestCall => {
    const name = `${user.kind} ${user.id} ${++callCount}`;
    const call: TestCall = { rank, isWanted, name, drop: () => turns.remove(user, call) };
    turns.add(user, call);
    return call;
  };
  const addMany = (user: QuotaUser, count: number) => Array.from({ length: count }, () => add(user));
  /** Takes this many turns. Returns the ids of their parties. */
  const takeIds = (count: number) =>
    Array.from({ length: count }, () => (turns.isEmpty() ? undefined : turns.takeNext()?.name.split(" ")[1]));
  return { turns, add, addMany, takeIds };
}

/** Checks that each party which waited between two turns of another party had a turn between them. */
function createFairnessCheck() {
  /** By the name of each that had a turn: those that have waited since its last turn. */
  const waitingSince = new Map<string, Set<string>>();
  return (name: string, waiting: Iterable<string>) => {
    expect([...(waitingSince.get(name) ?? [])]).toEqual([]);
    for (const names of waitingSince.values()) names.delete(name);
    waitingSince.set(name, new Set([...waiting].filter((other) => other !== name)));
  };
}

test("between two calls of one party each waiting party of its kind gets one, and between two of one kind each kind", () => {
  const anyParty = fc.record({ kind: fc.constantFrom(...KINDS), id: fc.constantFrom("a", "b", "c") });
  const anyStep = fc.oneof(anyParty, fc.constant("take" as const));
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 100, size: "max" }), (steps) => {
      const { turns, add } = createTestTurns();
      const waiting: QuotaUser[] = [];
      const checkKinds = createFairnessCheck();
      const partyChecks = Object.fromEntries(KINDS.map((kind) => [kind, createFairnessCheck()]));
      for (const step of steps) {
        if (step !== "take") {
          waiting.push(createUser(step.id, step.kind));
          add(createUser(step.id, step.kind));
        } else if (!turns.isEmpty()) {
          const [kind, id] = turns.takeNext()!.name.split(" ");
          waiting.splice(waiting.findIndex((user) => user.kind === kind && user.id === id)!, 1);
          checkKinds(
            kind!,
            waiting.map((user) => user.kind),
          );
          partyChecks[kind!]!(
            id!,
            waiting.flatMap((user) => (user.kind === kind ? [user.id] : [])),
          );
        } else expect(waiting).toEqual([]);
      }
    }),
  );
});

test("kinds alternate, however many parties of one kind wait", () => {
  const { addMany, takeIds } = createTestTurns();
  for (let i = 0; i < 200; i++) addMany(createUser(`address-${i}`), 2);
  addMany(createUser("shop", "static-key"), 3);
  addMany(createUser("polls", "service"), 1);
  const ids = takeIds(8);
  expect(ids.filter((id) => id === "shop")).toHaveLength(3);
  expect(ids.slice(0, 3)).toEqual(expect.arrayContaining(["shop", "polls"]));
});

test("a new party goes before parties that had a turn, and behind other new ones", () => {
  const { addMany, takeIds } = createTestTurns();
  addMany(createUser("a"), 3);
  addMany(createUser("b"), 3);
  expect(takeIds(2)).toEqual(["a", "b"]);
  addMany(createUser("c"), 2);
  addMany(createUser("d"), 1);
  expect(takeIds(6)).toEqual(["c", "d", "a", "b", "c", "a"]);
});

describe("the calls of one party", () => {
  test("go out by rank, and by age within one rank", () => {
    const { turns, add } = createTestTurns();
    const names = [300, 100, 200, 100].map((rank) => add(createUser("a"), { rank }).name);
    expect(names.map(() => turns.takeNext()!.name)).toEqual([names[1], names[3], names[2], names[0]]);
  });

  test("are dropped without a turn once they are not wanted", () => {
    const { turns, add, takeIds } = createTestTurns();
    for (let i = 0; i < 3; i++) add(createUser("a"), { isWanted: () => false });
    add(createUser("b"));
    expect(takeIds(2)).toEqual([undefined, "b"]);
    expect(turns.isEmpty()).toBe(true);
  });
});

test("the estimate counts the turns before a further call, as they then pass", () => {
  const anyLoad = fc.record({
    rivals: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4, size: "max" }),
    keyCalls: fc.integer({ min: 0, max: 4 }),
    ownRanks: fc.array(fc.constantFrom(1, 3), { maxLength: 3, size: "max" }),
    takenTurns: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(anyLoad, ({ rivals, keyCalls, ownRanks, takenTurns }) => {
      const { turns, add, addMany, takeIds } = createTestTurns();
      rivals.forEach((count, i) => void addMany(createUser(`rival-${i}`), count));
      addMany(createUser("shop", "static-key"), keyCalls);
      for (const rank of ownRanks) add(createUser("own"), { rank });
      takeIds(takenTurns);
      const estimate = turns.countTurnsBefore(createUser("own"), 2);
      const call = add(createUser("own"), { rank: 2 });
      let turnsBefore = 0;
      while (turns.takeNext() !== call) turnsBefore++;
      expect(turnsBefore).toBeLessThanOrEqual(estimate);
    }),
  );
});
