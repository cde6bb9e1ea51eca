import fc from "fast-check";
import { expect, test } from "vitest";
import { openPoolChain, type PoolChain } from "../../support/chain/pool-chain";
import { createManualClock, type ManualClock } from "../../support/fakes/manual-clock";
import { createPoolWorld, type PoolWorld, type Scenario } from "../../support/worlds/pool-world";

/** CI sets 2,000, and `npm run fuzz` more. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 200);
/** The number of the user's moves while the nodes are faulty. */
const FAULTY_MOVES = 7;
/**
 * The most moves after the faults end. The slowest of 4,000 pools took 24: two tabs blocked each other until a blockhash
 * expired.
 */
const MAX_FAULTLESS_MOVES = 60;
/** Longer than a blockhash lives, even if a node delays transactions. */
const OUTLIVE_MS = 70_000;

const createNodeFaults = (maxLagSlots: number) =>
  fc.array(
    fc.record({
      lagSlots: fc.oneof(fc.constantFrom(0, maxLagSlots), fc.integer({ min: 0, max: maxLagSlots })),
      heightIsSlot: fc.boolean(),
      freshUnknownSlots: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 })),
      forgetsRecent: fc.boolean(),
      dropPercent: fc.constantFrom(0, 90, 100),
      // Often just before the blockhash expires, when a late landing is easily missed.
      delaySlots: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 150 }), fc.integer({ min: 115, max: 149 })),
      loseAnswerPercent: fc.constantFrom(0, 30, 100),
    }),
    { minLength: 1, maxLength: 3 },
  );

const stopForgetting = (nodes: Scenario["nodes"]) => nodes.map((node) => ({ ...node, forgetsRecent: false }));

const createIntents = <T extends Scenario["intent"]>(hasTwoDevices: boolean, ...kinds: T[]) =>
  fc.record({ intent: fc.constantFrom(...kinds), hasTwoDevices: fc.constant(hasTwoDevices) });

const anyScenario: fc.Arbitrary<Scenario> = fc
  .oneof(
    { weight: 6, arbitrary: createIntents(false, "wrap", "topup", "own payment") },
    // Runs with two devices take longer, so fewer of them are drawn.
    { weight: 2, arbitrary: createIntents(true, "topup", "through", "usdc", "allowance") },
    { weight: 1, arbitrary: createIntents(false, "sale") },
  )
  .chain(({ intent, hasTwoDevices }) =>
    fc.record({
      seed: fc.integer({ min: 0, max: 0x7fffffff }),
      // lib/domain/expiry.ts assumes at most this lag for a blockhash that the service did not hand out.
      nodes:
        intent !== "own payment"
          ? createNodeFaults(60)
          : fc.oneof(createNodeFaults(0), createNodeFaults(32).map(stopForgetting)),
      intent: fc.constant(intent),
      hasTwoDevices: fc.constant(hasTwoDevices),
      lostPercent: fc.constantFrom(0, 10, 40),
      // Bytes that the wallet broadcasts take no claim. They can land although execute has refused them, because an
      // earlier transaction held the claim of their mark. Execute cannot keep such savings apart.
      isSentByWallet: hasTwoDevices ? fc.constant(false) : fc.boolean(),
    }),
  );

/** Takes the user's next step in a tab. Returns null if the tab's phase has none, for example after a payment. */
function makeMove(world: PoolWorld, tab: PoolWorld["tabs"][number]): Promise<void> | null {
  const { phase, record } = tab.getState();
  if (phase === "idle") return tab.start({ txValueUsd: 27.63 });
  if (phase === "review") return world.random() < 0.8 ? tab.confirm() : null;
  if (phase === "unknown") return tab.checkAgain();
  if (phase === "failed" || phase === "refused" || phase === "elsewhere")
    return record?.inFlight ? tab.checkAgain() : tab.renew(null);
  return null;
}

const PAUSES_MS = [0, 400, 3_000, 10_000, 25_000];

async function playScenario(pool: PoolChain, clock: ManualClock, scenario: Scenario) {
  const world = await createPoolWorld(pool, clock, scenario);
  const isDone = () => world.tabs.some((tab) => tab.getState().phase === "done");
  const moves: Promise<void>[] = [];
  for (let i = 0; i < FAULTY_MOVES + MAX_FAULTLESS_MOVES && !isDone(); i++) {
    if (i === FAULTY_MOVES) world.removeFaults();
    const tab = world.tabs[Math.floor(world.random() * world.tabs.length)]!;
    const pendingMove = makeMove(world, tab);
    if (pendingMove) moves.push(pendingMove);
    await clock.advance(PAUSES_MS[Math.floor(world.random() * PAUSES_MS.length)]!);
  }
  if (scenario.hasTwoDevices) {
    // The other device continues from its current phase.
    world.removeFaults();
    const startedTabs = world.tabs.filter((tab) => tab.getState().phase !== "idle");
    moves.push(...startedTabs.flatMap((tab) => makeMove(world, tab) ?? []));
  }
  const allEnded = Promise.all([...moves, world.close()]);
  await clock.advance(OUTLIVE_MS);
  await allEnded;
  return { world, isFinished: isDone() };
}

test("money moves exactly once per intent through any pool of faulty nodes", { timeout: RUNS * 600 }, async () => {
  const clock = createManualClock();
  const pool = await openPoolChain(clock);
  const { chain } = pool;
  const coverage = { dead: 0, rebuilt: 0, saved: 0 };

  await fc.assert(
    fc.asyncProperty(anyScenario, async (scenario) => {
      const { world, isFinished } = await playScenario(pool, clock, scenario);
      const landedSignatures = [...world.signedSignatures].filter(
        (signature) => chain.findSignature(signature)?.err === null,
      );
      // Every intent ends once the nodes have no faults. A device gets 409 while the other one's saving holds the claim. A
      // delayed copy of its own bytes can land afterwards. Both devices then say that it is saved.
      const isKnownAsSaved =
        world.tabs.every((tab) => tab.getState().phase === "elsewhere") &&
        landedSignatures.every((signature) => world.reportedSaved.has(signature));
      expect([isFinished || isKnownAsSaved, landedSignatures.length]).toEqual([true, 1]);
      expect([...world.reportedDead].filter((signature) => chain.findSignature(signature))).toEqual([]);
      expect([...world.reportedLanded].filter((signature) => !chain.findSignature(signature))).toEqual([]);
      coverage.dead += world.reportedDead.size;
      coverage.saved += world.reportedSaved.size;
      coverage.rebuilt += Number(!scenario.hasTwoDevices && world.signedSignatures.size > 1);
    }),
    { numRuns: RUNS },
  );
  // Without this check, a case that no random scenario reaches would pass unnoticed.
  expect(Math.min(...Object.values(coverage))).toBeGreaterThan(RUNS / 50);
});
