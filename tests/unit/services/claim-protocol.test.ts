import fc from "fast-check";
import { expect, test } from "vitest";
import { createThroughMark, formatMark, type Mark } from "../../../lib/domain/marks";
import { DAY_MS } from "../../../lib/domain/time";
import type { FaultyNode, SendOutcome } from "../../support/fakes/faulty-node";
import {
  type BuildOptions,
  type ClaimWorld,
  createClaimWorld,
  type KeyFate,
  type Message,
  type Operation,
  ORDER_REFERENCE,
  type PayBy,
} from "../../support/worlds/claim-world";

/*
 * Tests one wallet's claims under any interleaving of store calls. The guarantee covers only messages that
 * `executeTransaction` has sent. It does not cover a message that the wallet broadcasts itself after a refusal.
 */

/** The number of random histories. `npm run fuzz` sets more. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 60);
const MAX_COMMANDS = 24;
const TEN_MINUTES_MS = 10 * 60_000;
/** The pause between two tries of a client. */
const RETRY_PAUSE_MS = 5_000;
/** More store calls than any operation makes. */
const ALL_CALLS = 1_000;
const PERIODS = ["2026-W47", "2026-W48"];

interface Model {
  /** The signature of the message that saved each payment (by its value) and each period. */
  savedBy: Map<number | string, string>;
  /** True while nothing can hold a claim: every sent message has landed, and no operation was interrupted. */
  isCalm: boolean;
}

type Command = fc.AsyncCommand<Model, ClaimWorld>;
type Device = ClaimWorld["devices"][number];

function expectSavedOnce(model: Model, { messages, node, bugs }: ClaimWorld): void {
  for (const { signature, txValuesUsd, period } of messages) {
    if (!node.sentSignatures.has(signature) || !node.hasLanded(signature)) continue;
    for (const savedItem of period === null ? txValuesUsd : [period]) {
      const firstSignature = model.savedBy.get(savedItem) ?? signature;
      expect(`${savedItem} is saved by ${signature}`).toBe(`${savedItem} is saved by ${firstSignature}`);
      model.savedBy.set(savedItem, firstSignature);
    }
  }
  expect(bugs).toEqual([]);
}

/** Creates commands of one kind, with any of these values. A counterexample prints one command a line. */
const defineCommand = <Values extends object>(
  name: string,
  anyValues: fc.Arbitrary<Values>,
  run: (world: ClaimWorld, values: Values) => unknown,
  isDisturbing: (values: Values) => boolean = () => false,
): fc.Arbitrary<Command> =>
  anyValues.map((values) => ({
    check: () => true,
    async run(model, world) {
      if (isDisturbing(values)) model.isCalm = false;
      await run(world, values);
      await world.advance(0);
      expectSavedOnce(model, world);
    },
    toString: () => `\n    ${name} ${JSON.stringify(values)}`,
  }));
const ALWAYS = () => true;
const NO_VALUES = fc.constant({});

/** Returns the entry at `index`, counted past the end from the start again. Returns undefined for an empty list. */
const pickCyclically = <T>(list: T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

/** Lets an operation make up to `calls` store calls. Waits for its end if it may make all of them. */
async function runOperation(world: ClaimWorld, operation: Operation | undefined, calls = ALL_CALLS): Promise<void> {
  operation?.allow(calls);
  await world.advance(0);
  while (operation && calls === ALL_CALLS && !operation.isDone) await world.advance(1_000);
}

const WHOLE_BATCH: BuildOptions = { maxPayments: 1_000, usesOwnTransaction: false, payBy: "SOL" };

/** Lets a device build a saving at a server. Returns the message, or undefined if none was built. */
async function buildMessage(world: ClaimWorld, device: Device, server: number, options = WHOLE_BATCH) {
  const { length } = world.messages;
  await runOperation(world, world.buildSaving(device, server, options));
  return world.messages.length > length ? world.messages[0] : undefined;
}

/** Pays, and lets a device read and build. Returns the message, or undefined if none was built. */
async function payAndBuild(world: ClaimWorld, device: Device, server: number, options?: BuildOptions) {
  world.pay();
  await runOperation(world, world.readPayments(device, server));
  return buildMessage(world, device, server, options);
}

const messageIndexes = fc.constantFrom(0, 0, 1, 1, 2, 3);
const deviceOrServer = fc.nat({ max: 1 });
/** The number of store calls before an operation pauses. Most operations run to their end. */
const storeCallCounts = fc.oneof(
  { weight: 3, arbitrary: fc.constant(ALL_CALLS) },
  { weight: 1, arbitrary: fc.nat({ max: 14 }) },
);
const mayPause = ({ calls }: { calls: number }) => calls < ALL_CALLS;

const payCommands = defineCommand("the wallet pays", NO_VALUES, (world) => world.pay());

const createReadCommands = (calls: fc.Arbitrary<number>) =>
  defineCommand(
    "a device reads",
    fc.record({ device: deviceOrServer, server: deviceOrServer, calls }),
    (world, { device, server, calls }) =>
      runOperation(world, world.readPayments(world.devices[device]!, server), calls),
    mayPause,
  );

const payBys = fc.constantFrom<PayBy>("SOL", "SOL", "signature", "allowance");
const buildOptions = fc.record({
  payBy: payBys,
  maxPayments: fc.constantFrom(1_000, 1_000, 1_000, 1, 2),
  usesOwnTransaction: fc.constantFrom(false, false, false, true),
});
const buildValues = { device: deviceOrServer, server: deviceOrServer, options: buildOptions };

const buildCommands = defineCommand(
  "a device builds what it read",
  fc.record({ calls: storeCallCounts, ...buildValues }),
  (world, { device, server, calls, options }) =>
    runOperation(world, world.buildSaving(world.devices[device]!, server, options), calls),
  mayPause,
);

const saveCommands = defineCommand(
  "a device builds and posts what it read",
  fc.record(buildValues),
  async (world, { device, server, options }) => {
    const message = await buildMessage(world, world.devices[device]!, server, options);
    if (message) await runOperation(world, world.postMessage(message, server));
  },
);

const prepareCommands = defineCommand(
  "the wallet pays, and a device reads and builds",
  fc.record(buildValues),
  (world, { device, server, options }) => payAndBuild(world, world.devices[device]!, server, options),
);

const topupCommands = defineCommand(
  "a device builds a top-up",
  fc.record({ period: fc.constantFrom(...PERIODS, ORDER_REFERENCE), server: deviceOrServer, payBy: payBys }),
  (world, { period, server, payBy }) => runOperation(world, world.buildTopup(period, server, payBy)),
);

/**
 * Conditions of the node or the wallet. `canLeaveInFlight` is true if a message may still be in flight when the
 * condition ends.
 */
const CONDITIONS: { changes: Partial<FaultyNode>; canLeaveInFlight: boolean }[] = [
  { changes: {}, canLeaveInFlight: false },
  { changes: { isWalletEmpty: true }, canLeaveInFlight: false },
  ...(["behind", "down", "losing answers to sends"] as const).map((state) => {
    return { changes: { state }, canLeaveInFlight: true };
  }),
  ...(["get lost", "wait", "fail on the chain"] satisfies SendOutcome[]).map((sendOutcome) => {
    return { changes: { sendOutcome }, canLeaveInFlight: true };
  }),
];
const HEALTHY: Partial<FaultyNode> = { sendOutcome: "land", state: "good", isWalletEmpty: false };

const listLandedMessages = ({ messages, node }: ClaimWorld) =>
  messages.filter(({ signature }) => node.hasLanded(signature));

/** Finds the newest payment that a landed message marks as saved, or "none". */
function findSavedThrough(world: ClaimWorld): string {
  const marks = listLandedMessages(world).map(({ through }) => through);
  return world.payments.findLast(({ signature }) => marks.includes(signature))?.signature ?? "none";
}

/** How a stranger builds a batch like the one that a message of the wallet saves. */
const similarities = fc.record({
  after: fc.constantFrom("saved", "saved", "saved", "none", "newest"),
  terms: fc.constantFrom({}, {}, {}, { roundToUsd: 0.01 }, { multiplier: 2 }),
});
type Similarity = typeof similarities extends fc.Arbitrary<infer T> ? T : never;

async function buildSimilarMessage(
  world: ClaimWorld,
  target: Message,
  { after, terms }: Similarity,
  server: number,
): Promise<void> {
  if (target.period !== null) return runOperation(world, world.buildTopupAsStranger(target.period, server));
  const startPoints = { none: "none", saved: findSavedThrough(world), newest: world.payments.at(-1)!.signature };
  const { txValuesUsd, through } = target;
  const batch = { txValuesUsd, through: through!, ...terms, after: startPoints[after as "none"] };
  await runOperation(world, world.buildSavingAsStranger(batch, server));
}

const hostileBuildCommands = defineCommand(
  "a stranger builds like a message",
  fc.record({ index: messageIndexes, server: deviceOrServer, similarity: similarities }),
  async (world, { index, server, similarity }) => {
    const target = pickCyclically(world.messages, index);
    if (target) await buildSimilarMessage(world, target, similarity, server);
  },
);

/** The older batch saves some payments of the newer one. A stranger's build must not make the newer one seem current. */
const overlapCommands = defineCommand(
  "two devices build batches that overlap, and both are posted; before the second, a stranger builds like it",
  fc.record({ server: deviceOrServer, similarity: similarities }),
  async (world, { server, similarity }) => {
    const builtMessages: (Message | undefined)[] = [];
    for (const device of world.devices) builtMessages.push(await payAndBuild(world, device, server));
    const [olderMessage, newerMessage] = builtMessages;
    if (!olderMessage || !newerMessage) return;
    await runOperation(world, world.postMessage(olderMessage, server));
    await buildSimilarMessage(world, newerMessage, similarity, server);
    await runOperation(world, world.postMessage(newerMessage, server));
  },
);

const createPostCommands = (conditions: typeof CONDITIONS, calls: fc.Arbitrary<number>) =>
  defineCommand(
    "a message is posted, for some ms; before it, a stranger may build like it",
    fc.record({
      index: messageIndexes,
      server: deviceOrServer,
      calls,
      ms: fc.constantFrom(0, 0, 0, 2_000, 30_000, 80_000),
      condition: fc.oneof(fc.constant(CONDITIONS[0]!), fc.constantFrom(...conditions)),
      similarity: fc.option(similarities),
    }),
    async (world, { index, server, calls, ms, condition, similarity }) => {
      const message = pickCyclically(world.messages, index);
      if (!message) return;
      if (similarity) await buildSimilarMessage(world, message, similarity, server);
      Object.assign(world.node, condition.changes);
      await runOperation(world, world.postMessage(message, server), calls);
      await world.advance(ms);
      Object.assign(world.node, HEALTHY);
    },
    ({ calls, condition }) => condition.canLeaveInFlight || calls < ALL_CALLS,
  );

/** How far a server's clock is ahead. */
const clockSkewsMs = fc.constantFrom(0, -600_000, 600_000, DAY_MS);

/** Posts a message to a server that takes the claim and dies, while the network loses the message. */
async function postAndCrash(world: ClaimWorld, message: Message | undefined, server: number, skewMs: number) {
  if (!message) return;
  world.skewClock(server, skewMs);
  world.node.sendOutcome = "get lost";
  world.postMessage(message, server).allow(ALL_CALLS);
  await world.advance(0);
  world.crash(server);
  world.node.sendOutcome = "land";
}

const postAndDieCommands = defineCommand(
  "a server with a wrong clock dies after it has sent a message, which is lost",
  fc.record({ index: messageIndexes, server: deviceOrServer, ms: clockSkewsMs }),
  (world, { index, server, ms }) => postAndCrash(world, pickCyclically(world.messages, index), server, ms),
  ALWAYS,
);

/** A refused message must not take the claim when it is posted again. */
const refuseTwiceCommands = defineCommand(
  "a device pays, reads and builds; the message is refused, and posted again",
  fc.record({ server: deviceOrServer }),
  async (world, { server }) => {
    const message = await payAndBuild(world, world.devices[0]!, server);
    if (!message) return;
    for (const isWalletEmpty of [true, false]) {
      world.node.isWalletEmpty = isWalletEmpty;
      await runOperation(world, world.postMessage(message, server));
    }
  },
);

const prepareAndDieCommands = defineCommand(
  "a device pays, reads and builds; a server with a wrong clock dies after it has sent the message, which is lost",
  fc.record({ server: deviceOrServer, ms: clockSkewsMs }),
  async (world, { server, ms }) => {
    await payAndBuild(world, world.devices[0]!, server);
    await postAndCrash(world, world.messages[0], server, ms);
  },
  ALWAYS,
);

/** The waits in which the blockhash of a pending message expires. The server then searches the history. */
const expiryWaitsMs = fc.integer({ min: 48, max: 55 }).map((seconds) => seconds * 1_000);
const postAndSetClockCommands = defineCommand(
  "a server with a wrong clock sends a message, which is lost; after a wait the clock is right",
  fc.record({ index: messageIndexes, server: deviceOrServer, ms: clockSkewsMs, waitMs: expiryWaitsMs }),
  async (world, { index, server, ms, waitMs }) => {
    const message = pickCyclically(world.messages, index);
    if (!message) return;
    world.skewClock(server, ms);
    world.node.sendOutcome = "get lost";
    await runOperation(world, world.postMessage(message, server));
    await world.advance(waitMs);
    world.skewClock(server, 0);
    world.node.sendOutcome = "land";
  },
  ALWAYS,
);

const resumeCommands = defineCommand(
  "a paused operation continues",
  fc.record({ index: messageIndexes, calls: storeCallCounts }),
  (world, { index, calls }) => {
    const pausedOperations = world.operations.filter(({ isDone }) => !isDone);
    pickCyclically(pausedOperations, index)?.allow(calls);
  },
);

const hostileMemoCommands = defineCommand(
  "a stranger's transaction or saving carries a mark",
  fc.record({ index: messageIndexes, isTopup: fc.boolean(), isSaving: fc.boolean() }),
  (world, { index, isTopup, isSaving }) => {
    const payment = pickCyclically(world.payments, index)?.signature;
    const throughMark = payment === undefined ? undefined : createThroughMark(payment, "none");
    const mark: Mark | undefined = isTopup ? { kind: "topup", value: PERIODS[index % 2]! } : throughMark;
    if (mark) world.sendMemoAsStranger(formatMark(mark), isSaving);
  },
);

const hostileCommands = fc.oneof(
  { weight: 3, arbitrary: hostileBuildCommands },
  { weight: 1, arbitrary: hostileMemoCommands },
);

const waitCommands = defineCommand(
  "time passes",
  fc.record({ ms: fc.constantFrom(400, 9_000, 30_000, 70_000, 150_000) }),
  (world, { ms }) => world.advance(ms),
);

const broadcastCommands = defineCommand(
  "the wallet broadcasts a message itself",
  fc.record({ index: messageIndexes }),
  (world, { index }) => {
    const message = pickCyclically(world.messages, index);
    if (message) world.node.submit(message.bytes);
  },
);

const releaseCommands = defineCommand("waiting transactions land", NO_VALUES, (world) => world.node.release());

const skewCommands = defineCommand(
  "a server's clock is wrong",
  fc.record({ server: deviceOrServer, ms: clockSkewsMs }),
  (world, { server, ms }) => world.skewClock(server, ms),
  ALWAYS,
);

const crashCommands = defineCommand(
  "a server dies and starts again",
  fc.record({ server: deviceOrServer }),
  (world, { server }) => world.crash(server),
  ALWAYS,
);

type CommandMix = [weight: number, arbitrary: fc.Arbitrary<Command>][];

const createHistories = (parts: CommandMix) =>
  fc.commands([fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })))], {
    maxCommands: MAX_COMMANDS,
    size: "max",
  });

const calmPostCommands = createPostCommands(
  CONDITIONS.filter(({ canLeaveInFlight }) => !canLeaveInFlight),
  fc.constant(ALL_CALLS),
);
const calmMix: CommandMix = [
  [1, payCommands],
  [8, prepareCommands],
  [2, overlapCommands],
  [1, topupCommands],
  [8, calmPostCommands],
  [4, hostileCommands],
  [1, waitCommands],
  [1, broadcastCommands],
];
const disturbedMix: CommandMix = [
  [2, createReadCommands(storeCallCounts)],
  [4, buildCommands],
  [8, createPostCommands(CONDITIONS, storeCallCounts)],
  [3, postAndDieCommands],
  [2, postAndSetClockCommands],
  [3, resumeCommands],
  [1, releaseCommands],
  [1, skewCommands],
  [1, crashCommands],
];
/** Two devices and a stranger act without pauses. */
const crowdedMix: CommandMix = [
  [4, prepareCommands],
  [4, calmPostCommands],
  [1, hostileCommands],
  [2, overlapCommands],
];
const histories = fc.oneof(
  createHistories(crowdedMix),
  createHistories(calmMix),
  createHistories([...calmMix, ...disturbedMix]),
);

const backUpCommands = defineCommand("the store is backed up", NO_VALUES, (world) => world.backUpStore());
const historiesWithBackups = createHistories([...calmMix, [3, backUpCommands]]);
/** The commands of stale devices after the store has lost data. */
const aftermaths = createHistories([
  [4, saveCommands],
  [2, calmPostCommands],
  [2, topupCommands],
  [1, payCommands],
  [1, createReadCommands(fc.constant(ALL_CALLS))],
  [1, waitCommands],
]);
const fateLists = fc.oneof(
  fc.constant<KeyFate[]>(["lost"]),
  fc.constant<KeyFate[]>(["rolled back"]),
  fc.array(fc.constantFrom<KeyFate>("kept", "lost", "rolled back"), { minLength: 1, maxLength: 12 }),
);

/**
 * Removes all faults and expects that one device can pay and save within ten minutes. The stranger acts between any two
 * calls of this device. The other device is gone or posts everything again. If nothing can hold a claim, the first try
 * must succeed. The device calls one `server`, or both in turn if it is null. A second server would hide a claim that
 * never ends on the first.
 */
async function expectNextSaving(
  model: Model,
  world: ClaimWorld,
  { strangerCommands, postsAgain, server }: { strangerCommands: Command[]; postsAgain: boolean; server: number | null },
): Promise<void> {
  world.removeFaults();
  await world.advance(0);
  const payment = world.pay();
  const [device] = world.devices as [Device];
  const earlierMessages = [...world.messages];
  const tries: string[] = [];
  const isSaved = () => listLandedMessages(world).some(({ txValuesUsd }) => txValuesUsd.includes(payment.usd));
  const interfere = () => pickCyclically(strangerCommands, tries.length)?.run(model, world);
  for (const deadline = world.now() + TEN_MINUTES_MS; !isSaved() && world.now() < deadline; ) {
    const currentServer = server ?? tries.length % 2;
    await runOperation(world, world.readPayments(device, currentServer));
    await interfere();
    const builtMessage = await buildMessage(world, device, currentServer);
    await interfere();
    await runOperation(world, builtMessage && world.postMessage(builtMessage, currentServer));
    tries.push(`${device.unsavedPayments.length} unsaved: ${builtMessage?.answers.at(-1) ?? "nothing built"}`);
    if (isSaved()) break;
    if (model.isCalm) expect(`at once, but ${tries}`).toBe("saved");
    for (const message of postsAgain ? earlierMessages : [])
      world.postMessage(message, 1 - currentServer).allow(ALL_CALLS);
    await world.advance(RETRY_PAUSE_MS);
  }
  expectSavedOnce(model, world);
  expect(isSaved() ? "saved" : `not in ${tries.length} tries, the last: ${tries.at(-1)}`).toBe("saved");
  const savedValuesUsd = listLandedMessages(world).flatMap(({ txValuesUsd }) => txValuesUsd);
  expect(world.payments.filter(({ usd }) => !savedValuesUsd.includes(usd))).toEqual([]);
}

const endings = fc.record({
  ending: fc.oneof(fc.constant(null), prepareAndDieCommands, refuseTwiceCommands),
  strangerCommands: fc.array(hostileCommands, { maxLength: 4 }),
  postsAgain: fc.boolean(),
  server: fc.constantFrom(0, 1, null),
});

test("each payment, period and reference is saved once, within ten minutes after the last of any faults", {
  timeout: RUNS * 2_000,
}, async () => {
  const coverage = { calm: 0, saved: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(histories, endings, async (history, endingCase) => {
      const world = await createClaimWorld();
      const model: Model = { savedBy: new Map(), isCalm: true };
      await fc.asyncModelRun(() => ({ model, real: world }), history);
      await endingCase.ending?.run(model, world);
      await expectNextSaving(model, world, endingCase);
      coverage.calm += Number(model.isCalm);
      coverage.saved += Number(model.savedBy.size > 2);
      coverage.refused += Number(world.messages.some(({ answers }) => answers.includes("already_saved")));
    }),
    // Each shrinking step plays ten more minutes. After this time, report the smallest example so far.
    { numRuns: RUNS, interruptAfterTimeLimit: 90_000 + RUNS * 500 },
  );
  // Without this check, a case that no random history reaches would pass unnoticed.
  expect(Math.min(...Object.values(coverage))).toBeGreaterThan(RUNS / 50);
});

test("each payment, period and reference is saved once after the store has lost keys or gone back to older values", {
  timeout: RUNS * 2_000,
}, async () => {
  const coverage = { saved: 0, refused: 0 };
  const scenario = [historiesWithBackups, fateLists, fc.nat({ max: 5 }), aftermaths, endings] as const;
  await fc.assert(
    fc.asyncProperty(...scenario, async (history, fates, backupIndex, aftermath, endingCase) => {
      const world = await createClaimWorld();
      const model: Model = { savedBy: new Map(), isCalm: true };
      const play = (commands: typeof history) => fc.asyncModelRun(() => ({ model, real: world }), commands);
      await play(history);
      // The chain has no mark of a transaction before it lands. None is in flight after this time.
      world.removeFaults();
      await world.advance(5 * 60_000);
      await world.loseKeys(fates, backupIndex);
      const refusalCount = world.refusals.length;
      coverage.saved += Number(listLandedMessages(world).length > 0);
      await play(aftermath);
      coverage.refused += Number(world.refusals.slice(refusalCount).includes("already_saved"));
      await expectNextSaving(model, world, endingCase);
    }),
    { numRuns: Math.ceil(RUNS / 2), interruptAfterTimeLimit: 90_000 + RUNS * 500 },
  );
  // Without this check, a case that no random history reaches would pass unnoticed.
  expect(Math.min(...Object.values(coverage))).toBeGreaterThan(RUNS / 50);
});
