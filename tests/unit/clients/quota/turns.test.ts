import fc from "fast-check";
import { expect, test } from "vitest";
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

/** A step of a crowd: a call of a party, or a turn. */
const anyStep = fc.oneof(
  fc.record({ kind: fc.constantFrom(...KINDS), id: fc.integer({ min: 0, max: 9 }).map(String) }),
  fc.constant("take" as const),
);
const anySteps = fc.array(anyStep, { maxLength: 60, size: "max" });

/** Takes the steps. */
function runSteps({ turns, add }: ReturnType<typeof createTestTurns>, steps: ("take" | Omit<QuotaUser, "priority">)[]) {
  for (const step of steps) {
    if (step !== "take") add(createUser(step.id, step.kind));
    else if (!turns.isEmpty()) turns.takeNext();
  }
}

test("a party waits for at most two turns of each party of its kind before it, and one more, whatever comes later", () => {
  const anyCrowd = fc.array(fc.constantFrom("new", "known", "none"), { minLength: 1, maxLength: 4 });
  const property = fc.property(anySteps, fc.boolean(), anyCrowd, (steps, isNew, crowd) => {
    const world = createTestTurns();
    const { turns, add } = world;
    runSteps(
      world,
      steps.map((step) => (step === "take" ? step : { ...step, kind: "address" as const })),
    );
    const known = new Set(steps.flatMap((step) => (step === "take" ? [] : [step.id])));
    const own = createUser(isNew ? "late" : "0");
    known.delete(own.id);
    const call = turns.list(own)[0] ?? add(own);
    let turnsBefore = 0;
    for (;;) {
      for (const [i, kind] of crowd.entries()) {
        if (kind === "new") add(createUser(`new-${turnsBefore}-${i}`));
        if (kind === "known") add(createUser([...known][i % known.size] ?? "a"));
      }
      if (turns.takeNext() === call) break;
      turnsBefore++;
      expect(turnsBefore).toBeLessThanOrEqual(2 * known.size + 1);
    }
  });
  fc.assert(property, { numRuns: 500 });
});

test("the estimate counts the turns before a further call, as they then pass", () => {
  const anyLoad = fc.record({
    rivals: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4, size: "max" }),
    newRivals: fc.integer({ min: 0, max: 3 }),
    keyCalls: fc.integer({ min: 0, max: 4 }),
    ownRanks: fc.array(fc.constantFrom(1, 3), { maxLength: 3, size: "max" }),
    takenTurns: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(anyLoad, ({ rivals, newRivals, keyCalls, ownRanks, takenTurns }) => {
      const { turns, add, addMany, takeIds } = createTestTurns();
      rivals.forEach((count, i) => void addMany(createUser(`rival-${i}`), count));
      addMany(createUser("shop", "static-key"), keyCalls);
      for (const rank of ownRanks) add(createUser("own"), { rank });
      takeIds(takenTurns);
      for (let i = 0; i < newRivals; i++) addMany(createUser(`new-${i}`), 2);
      const estimate = turns.countTurnsBefore(createUser("own"), 2);
      const call = add(createUser("own"), { rank: 2 });
      let turnsBefore = 0;
      while (turns.takeNext() !== call) turnsBefore++;
      expect(turnsBefore).toBeLessThanOrEqual(estimate);
    }),
  );
});
