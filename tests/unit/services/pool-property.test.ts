import fc from "fast-check";
import { expect, test } from "vitest";
import { openPoolChain, type PoolChain } from "../../support/chain/pool-chain";
import { type ManualClock, manualClock } from "../../support/fakes/manual-clock";
import { createPoolWorld, type PoolWorld, type Scenario } from "../../support/worlds/pool-world";

/** CI sets 2,000, and `npm run fuzz` more. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 200);
/** Moves of the user while the nodes are bad, and at most after that. */
const MOVES = 7;
/** The slowest of 4,000 pools took 24 moves: two tabs block each other until a blockhash expires. */
const MOVES_AFTERWARDS = 60;
/** Longer than a blockhash lives, whatever a node holds back. */
const AFTERWARDS_MS = 70_000;

const nodes = (maxLag: number) =>
  fc.array(
    fc.record({
      lagSlots: fc.oneof(fc.constantFrom(0, maxLag), fc.integer({ min: 0, max: maxLag })),
      heightIsSlot: fc.boolean(),
      freshUnknownSlots: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 })),
      forgetsRecent: fc.boolean(),
      dropPercent: fc.constantFrom(0, 90, 100),
      // Often just before the blockhash runs out: there a landing is easily taken for none.
      delaySlots: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 150 }), fc.integer({ min: 115, max: 149 })),
      loseAnswerPercent: fc.constantFrom(0, 30, 100),
    }),
    { minLength: 1, maxLength: 3 },
  );

const remembering = (all: Scenario["nodes"]) => all.map((one) => ({ ...one, forgetsRecent: false }));

const intents = <T extends Scenario["intent"]>(onTwoDevices: boolean, ...some: T[]) =>
  fc.record({ intent: fc.constantFrom(...some), onTwoDevices: fc.constant(onTwoDevices) });

const scenarios: fc.Arbitrary<Scenario> = fc
  .oneof(
    { weight: 6, arbitrary: intents(false, "wrap", "topup", "own payment") },
    // They take longer.
    { weight: 2, arbitrary: intents(true, "topup", "through") },
    { weight: 1, arbitrary: intents(false, "sale") },
  )
  .chain(({ intent, onTwoDevices }) =>
    fc.record({
      seed: fc.integer({ min: 0, max: 0x7fffffff }),
      // The one assumption made of the pool, and only for a blockhash that was not handed out here: see lib/domain/expiry.ts.
      nodes: intent !== "own payment" ? nodes(60) : fc.oneof(nodes(0), nodes(32).map(remembering)),
      intent: fc.constant(intent),
      onTwoDevices: fc.constant(onTwoDevices),
      lostPercent: fc.constantFrom(0, 10, 40),
      // Bytes that the wallet broadcasts take no claim. They can land although execute has refused them, because an
      // earlier transaction held the claim of their mark. Execute cannot keep such savings apart.
      walletSends: intent === "topup" || intent === "through" ? fc.constant(false) : fc.boolean(),
    }),
  );

/** The user's action in a tab. No action confirms a finished payment. */
function move(world: PoolWorld, tab: PoolWorld["tabs"][number]): Promise<void> | null {
  const { phase, record } = tab.getState();
  if (phase === "idle") return tab.start({ txValueUsd: 27.63 });
  if (phase === "review") return world.random() < 0.8 ? tab.confirm() : null;
  if (phase === "unknown") return tab.checkAgain();
  if (phase === "failed" || phase === "refused" || phase === "elsewhere")
    return record?.inFlight ? tab.checkAgain() : tab.renew(null);
  return null;
}

const PAUSES_MS = [0, 400, 3_000, 10_000, 25_000];

async function run(pool: PoolChain, clock: ManualClock, scenario: Scenario) {
  const world = await createPoolWorld(pool, clock, scenario);
  const isDone = () => world.tabs.some((tab) => tab.getState().phase === "done");
  const moves: Promise<void>[] = [];
  for (let i = 0; i < MOVES + MOVES_AFTERWARDS && !isDone(); i++) {
    if (i === MOVES) world.removeFaults();
    const tab = world.tabs[Math.floor(world.random() * world.tabs.length)]!;
    const made = move(world, tab);
    if (made) moves.push(made);
    await clock.advance(PAUSES_MS[Math.floor(world.random() * PAUSES_MS.length)]!);
  }
  if (scenario.onTwoDevices) {
    // The device that had no part in it goes on from where it was left.
    world.removeFaults();
    const left = world.tabs.filter((tab) => tab.getState().phase !== "idle");
    moves.push(...left.flatMap((tab) => move(world, tab) ?? []));
  }
  const ended = Promise.all([...moves, world.close()]);
  await clock.advance(AFTERWARDS_MS);
  await ended;
  return { world, done: isDone() };
}

const title =
  "through any pool: money moves once per intent, from two devices too where it carries a mark, and what is said to be dead never lands";
test(title, { timeout: RUNS * 600 }, async () => {
  const clock = manualClock();
  const pool = await openPoolChain(clock);
  const { chain } = pool;
  const seen = { dead: 0, rebuilt: 0, saved: 0 };

  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const { world, done } = await run(pool, clock, scenario);
      const landed = [...world.signed].filter((signature) => chain.findSignature(signature)?.err === null);
      // Once its nodes behave, every intent comes to its end.
      expect([done, landed.length]).toEqual([true, 1]);
      expect([...world.reportedDead].filter((signature) => chain.findSignature(signature))).toEqual([]);
      expect([...world.reportedLanded].filter((signature) => !chain.findSignature(signature))).toEqual([]);
      seen.dead += world.reportedDead.size;
      seen.saved += world.reportedSaved.size;
      seen.rebuilt += Number(!scenario.onTwoDevices && world.signed.size > 1);
    }),
    { numRuns: RUNS },
  );
  // What never happens proves nothing.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(RUNS / 50);
});
