import fc from "fast-check";
import { expect, test } from "vitest";
import type { FaultyNode, SendOutcome } from "../../support/fakes/faulty-node";
import {
  type BuildOptions,
  type ClaimWorld,
  createClaimWorld,
  type Message,
  type Operation,
  ORDER_REFERENCE,
} from "../../support/worlds/claim-world";

/**
 * One wallet's claims under any interleaving of store calls. Only messages that execute let out count: what a wallet broadcasts
 * itself after a refusal is outside the promise.
 */

/** In `npm run fuzz` more of them. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 60);
const MOST_COMMANDS = 24;
const TEN_MINUTES_MS = 10 * 60_000;
/** Between two tries of a client. */
const TRY_AGAIN_MS = 5_000;
/** More store calls than any operation makes. */
const TO_THE_END = 1_000;
const PERIODS = ["2026-W47", "2026-W48"];
const NAMES = [...PERIODS, ORDER_REFERENCE];

interface Model {
  /** The message that saved each payment (by its value) and each period. */
  savedBy: Map<number | string, string>;
  /** Nothing can hold a claim: all that was let out has landed, and no operation was interrupted. */
  isCalm: boolean;
}

type Command = fc.AsyncCommand<Model, ClaimWorld>;

function expectSavedOnce(model: Model, { messages, node, bugs }: ClaimWorld): void {
  for (const { signature, txValuesUsd, period } of messages) {
    if (!node.sentSignatures.has(signature) || !node.hasLanded(signature)) continue;
    for (const what of period === null ? txValuesUsd : [period]) {
      const first = model.savedBy.get(what) ?? signature;
      expect(`${what} is saved by ${signature}`).toBe(`${what} is saved by ${first}`);
      model.savedBy.set(what, first);
    }
  }
  expect(bugs).toEqual([]);
}

const command = (text: string, run: (world: ClaimWorld) => unknown, disturbs = false): Command => ({
  check: () => true,
  async run(model, world) {
    if (disturbs) model.isCalm = false;
    await run(world);
    await world.advance(0);
    expectSavedOnce(model, world);
  },
  // A counterexample prints one command a line.
  toString: () => `\n    ${text}`,
});

const pick = <T>(list: T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

/** Lets an operation make so many store calls, and waits for it where it may make all. */
async function go(world: ClaimWorld, operation: Operation | undefined, calls: number): Promise<void> {
  operation?.allow(calls);
  await world.advance(0);
  while (operation && calls === TO_THE_END && !operation.done) await world.advance(1_000);
}

const nth = fc.constantFrom(0, 0, 1, 1, 2, 3);
const either = fc.nat({ max: 1 });
/** Store calls until it pauses; most operations run to their end. */
const steps = fc.oneof(
  { weight: 3, arbitrary: fc.constant(TO_THE_END) },
  { weight: 1, arbitrary: fc.nat({ max: 14 }) },
);
const upTo = (calls: number) => (calls === TO_THE_END ? "" : ` and pauses after ${calls} store calls`);

const pay = fc.constant(command("the wallet pays", (world) => world.pay()));

const read = fc
  .record({ device: either, at: either, calls: steps })
  .map(({ device, at, calls }) =>
    command(
      `device ${device} reads from server ${at}${upTo(calls)}`,
      (world) => go(world, world.read(world.devices[device]!, at), calls),
      calls < TO_THE_END,
    ),
  );

const how = fc.record({
  most: fc.constantFrom(1_000, 1_000, 1_000, 1, 2),
  ownTransaction: fc.constantFrom(false, false, false, true),
});
const tell = ({ most, ownTransaction }: BuildOptions) =>
  `builds ${most < 1_000 ? `${most} of ` : ""}its payments${ownTransaction ? " into its own transaction" : ""}`;

const build = fc
  .record({ device: either, at: either, calls: steps, options: how })
  .map(({ device, at, calls, options }) =>
    command(
      `device ${device} ${tell(options)} at server ${at}${upTo(calls)}`,
      (world) => go(world, world.build(world.devices[device]!, at, options), calls),
      calls < TO_THE_END,
    ),
  );

const prepare = fc.record({ device: either, at: either, options: how }).map(({ device, at, options }) =>
  command(`the wallet pays, device ${device} reads and ${tell(options)} at server ${at}`, async (world) => {
    world.pay();
    await go(world, world.read(world.devices[device]!, at), TO_THE_END);
    await go(world, world.build(world.devices[device]!, at, options), TO_THE_END);
  }),
);

const topup = fc
  .record({ period: fc.constantFrom(...NAMES), at: either })
  .map(({ period, at }) =>
    command(`a device builds the top-up of ${period} at server ${at}`, (world) =>
      go(world, world.topup(period, at), TO_THE_END),
    ),
  );

/** A condition of the node or the wallet; `holds` where a message may be on its way when it ends. */
const CONDITIONS: { text: string; changes: Partial<FaultyNode>; holds: boolean }[] = [
  { text: "", changes: {}, holds: false },
  { text: " while the wallet is empty", changes: { isWalletEmpty: true }, holds: false },
  { text: " while the node is behind", changes: { state: "behind" }, holds: true },
  { text: " while the node is down", changes: { state: "down" }, holds: true },
  { text: " while the node loses answers to sends", changes: { state: "losing answers to sends" }, holds: true },
  ...(["get lost", "wait", "fail on the chain"] satisfies SendOutcome[]).map((sendOutcome) => {
    return { text: ` and what it sends will ${sendOutcome}`, changes: { sendOutcome }, holds: true };
  }),
];
const GOOD: Partial<FaultyNode> = { sendOutcome: "land", state: "good", isWalletEmpty: false };

/** The newest payment through which a message that landed saves. */
function savedThrough({ messages, payments, node }: ClaimWorld): string {
  const marks = messages.filter(({ signature }) => node.hasLanded(signature)).map(({ through }) => through);
  return payments.findLast(({ signature }) => marks.includes(signature))?.signature ?? "none";
}

/** How a stranger builds what a message saves, for its wallet. */
const likeness = fc.record({
  after: fc.constantFrom("saved", "saved", "saved", undefined, "none", "newest"),
  terms: fc.constantFrom({}, {}, {}, { roundToUsd: 0.01 }, { multiplier: 2 }),
});
type Likeness = typeof likeness extends fc.Arbitrary<infer T> ? T : never;
const tellLikeness = ({ after, terms }: Likeness) => `after ${after}, with ${JSON.stringify(terms)}`;

async function buildLike(world: ClaimWorld, target: Message, { after, terms }: Likeness, at: number): Promise<void> {
  if (target.period !== null) return go(world, world.hostileTopup(target.period, at), TO_THE_END);
  const points = { none: "none", saved: savedThrough(world), newest: world.payments.at(-1)!.signature };
  const { txValuesUsd, through } = target;
  const batch = { txValuesUsd, through: through!, ...terms, after: after && points[after as "none"] };
  await go(world, world.hostileBuild(batch, at), TO_THE_END);
}

const hostileBuild = fc.record({ which: nth, at: either, like: likeness }).map(({ which, at, like }) =>
  command(`a stranger builds like message ${which} ${tellLikeness(like)}, at server ${at}`, async (world) => {
    const target = pick(world.messages, which);
    if (target) await buildLike(world, target, like, at);
  }),
);

/** The older batch saves a part of the newer one. A stranger's build must not make the newer one look up to date. */
const overtaken = fc.record({ at: either, like: likeness }).map(({ at, like }) =>
  command(
    `two devices build batches that overlap at server ${at}, and both are posted; before the second, a stranger builds like it ${tellLikeness(like)}`,
    async (world) => {
      const built: Message[] = [];
      for (const device of world.devices) {
        world.pay();
        await go(world, world.read(device, at), TO_THE_END);
        const count = world.messages.length;
        await go(world, world.build(device, at, { most: 1_000, ownTransaction: false }), TO_THE_END);
        if (world.messages.length > count) built.push(world.messages[0]!);
      }
      const [older, newer] = built;
      if (!older || !newer) return;
      await go(world, world.post(older, at), TO_THE_END);
      await buildLike(world, newer, like, at);
      await go(world, world.post(newer, at), TO_THE_END);
    },
  ),
);

const posts = (conditions: typeof CONDITIONS, calls: fc.Arbitrary<number>) =>
  fc
    .record({
      which: nth,
      at: either,
      calls,
      ms: fc.constantFrom(0, 0, 0, 2_000, 30_000, 80_000),
      condition: fc.oneof(fc.constant(CONDITIONS[0]!), fc.constantFrom(...conditions)),
      like: fc.option(likeness),
    })
    .map(({ which, at, calls, ms, condition: { text, changes, holds }, like }) =>
      command(
        `${like ? `a stranger builds like message ${which} ${tellLikeness(like)}; ` : ""}message ${which} is posted at server ${at}${text}${upTo(calls)}, for ${ms} ms`,
        async (world) => {
          const message = pick(world.messages, which);
          if (!message) return;
          if (like) await buildLike(world, message, like, at);
          Object.assign(world.node, changes);
          await go(world, world.post(message, at), calls);
          await world.advance(ms);
          Object.assign(world.node, GOOD);
        },
        holds || calls < TO_THE_END,
      ),
    );

const clocks = fc.constantFrom(0, -600_000, 600_000, 86_400_000);

/** The claim is taken, but no client will send the message. */
async function postAndCrash(world: ClaimWorld, message: Message | undefined, at: number, ms: number): Promise<void> {
  if (!message) return;
  world.skewClock(at, ms);
  world.node.sendOutcome = "get lost";
  world.post(message, at).allow(TO_THE_END);
  await world.advance(0);
  world.crash(at);
  world.node.sendOutcome = "land";
}

const postAndDie = fc
  .record({ which: nth, at: either, ms: clocks })
  .map(({ which, at, ms }) =>
    command(
      `server ${at}, whose clock is off by ${ms} ms, dies when it has sent message ${which}, which gets lost`,
      (world) => postAndCrash(world, pick(world.messages, which), at, ms),
      true,
    ),
  );

/** A refused message must not take the claim when it is posted again. */
const refuseTwice = either.map((at) =>
  command(
    `a device pays, reads and builds at server ${at}; the message is refused, and posted again`,
    async (world) => {
      world.pay();
      const [device] = world.devices as [ClaimWorld["devices"][number]];
      await go(world, world.read(device, at), TO_THE_END);
      const count = world.messages.length;
      await go(world, world.build(device, at, { most: 1_000, ownTransaction: false }), TO_THE_END);
      if (world.messages.length === count) return;
      const [message] = world.messages as [Message];
      for (const isWalletEmpty of [true, false]) {
        world.node.isWalletEmpty = isWalletEmpty;
        await go(world, world.post(message, at), TO_THE_END);
      }
    },
  ),
);

const prepareAndDie = fc.record({ at: either, ms: clocks }).map(({ at, ms }) =>
  command(
    `a device pays, reads and builds; server ${at}, whose clock is off by ${ms} ms, dies when it has sent the message, which gets lost`,
    async (world) => {
      world.pay();
      const [device] = world.devices as [ClaimWorld["devices"][number]];
      await go(world, world.read(device, at), TO_THE_END);
      await go(world, world.build(device, at, { most: 1_000, ownTransaction: false }), TO_THE_END);
      await postAndCrash(world, world.messages[0], at, ms);
    },
    true,
  ),
);

/** After an answer that the outcome is unknown, the blockhash expires in this time. The server then searches the history. */
const expiring = fc.integer({ min: 48, max: 55 }).map((seconds) => seconds * 1_000);
const postAndSetClock = fc
  .record({ which: nth, at: either, ms: clocks, passed: expiring })
  .map(({ which, at, ms, passed }) =>
    command(
      `server ${at}, whose clock is off by ${ms} ms, sends message ${which}, which gets lost; after ${passed} ms the clock is right`,
      async (world) => {
        const message = pick(world.messages, which);
        if (!message) return;
        world.skewClock(at, ms);
        world.node.sendOutcome = "get lost";
        await go(world, world.post(message, at), TO_THE_END);
        await world.advance(passed);
        world.skewClock(at, 0);
        world.node.sendOutcome = "land";
      },
      true,
    ),
  );

const goOn = fc.record({ which: nth, calls: steps }).map(({ which, calls }) =>
  command(`paused operation ${which} goes on${upTo(calls)}`, (world) => {
    const paused = world.operations.filter(({ done }) => !done);
    pick(paused, which)?.allow(calls);
  }),
);

const hostileMemo = fc
  .record({ which: nth, kind: fc.constantFrom("through", "topup"), saves: fc.boolean() })
  .map(({ which, kind, saves }) =>
    command(`a stranger's ${saves ? "saving" : "transaction"} is marked ${kind} ${which}`, (world) => {
      const value = kind === "topup" ? PERIODS[which % 2] : pick(world.payments, which)?.signature;
      if (value) world.hostileMemo(`roundup:1:${kind}:${value}`, saves);
    }),
  );

const hostile = fc.oneof({ weight: 3, arbitrary: hostileBuild }, { weight: 1, arbitrary: hostileMemo });

const time = fc
  .constantFrom(400, 9_000, 30_000, 70_000, 150_000)
  .map((ms) => command(`${ms} ms pass`, (world) => world.advance(ms)));

const broadcast = nth.map((which) =>
  command(`the wallet broadcasts message ${which} itself`, (world) => {
    const message = pick(world.messages, which);
    if (message) world.node.submit(message.bytes);
  }),
);

const release = fc.constant(command("what waited lands", (world) => world.node.release()));

const skew = fc
  .record({ at: either, ms: clocks })
  .map(({ at, ms }) => command(`server ${at}'s clock is off by ${ms} ms`, (world) => world.skewClock(at, ms), true));

const crash = either.map((at) => command(`server ${at} dies and starts again`, (world) => world.crash(at), true));

type Weighted = [weight: number, arbitrary: fc.Arbitrary<Command>][];

const historiesOf = (parts: Weighted) =>
  fc.commands([fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })))], {
    maxCommands: MOST_COMMANDS,
    size: "max",
  });

const calmPosts = posts(
  CONDITIONS.filter(({ holds }) => !holds),
  fc.constant(TO_THE_END),
);
const calm: Weighted = [
  [1, pay],
  [8, prepare],
  [2, overtaken],
  [1, topup],
  [8, calmPosts],
  [4, hostile],
  [1, time],
  [1, broadcast],
];
const disturbed: Weighted = [
  [2, read],
  [4, build],
  [8, posts(CONDITIONS, steps)],
  [3, postAndDie],
  [2, postAndSetClock],
  [3, goOn],
  [1, release],
  [1, skew],
  [1, crash],
];
/** Two devices and a stranger, with nothing in between. */
const crowded: Weighted = [
  [4, prepare],
  [4, calmPosts],
  [1, hostile],
  [2, overtaken],
];
const histories = fc.oneof(historiesOf(crowded), historiesOf(calm), historiesOf([...calm, ...disturbed]));

/**
 * Nodes, store and clocks are fair from here on. A device pays and saves, and the stranger acts between any two of its calls. The
 * other device is gone, or posts everything again. Where nothing can hold a claim, the first try must succeed.
 * The device calls one `server`, or both in turn if it is null. A second server would hide a claim that never ends on the first.
 */
async function expectNextSaving(
  model: Model,
  world: ClaimWorld,
  { strangers, postsAgain, server }: { strangers: Command[]; postsAgain: boolean; server: number | null },
): Promise<void> {
  world.removeFaults();
  await world.advance(0);
  const payment = world.pay();
  const [mine] = world.devices as [ClaimWorld["devices"][number]];
  const old = [...world.messages];
  const tries: string[] = [];
  const landed = () => world.messages.filter(({ signature }) => world.node.hasLanded(signature));
  const isSaved = () => landed().some(({ txValuesUsd }) => txValuesUsd.includes(payment.usd));
  const interfere = () => pick(strangers, tries.length)?.run(model, world);
  for (const until = world.now() + TEN_MINUTES_MS; !isSaved() && world.now() < until; ) {
    const at = server ?? tries.length % 2;
    await go(world, world.read(mine, at), TO_THE_END);
    await interfere();
    const count = world.messages.length;
    await go(world, world.build(mine, at, { most: 1_000, ownTransaction: false }), TO_THE_END);
    await interfere();
    const built = world.messages.length > count ? world.messages[0] : undefined;
    await go(world, built && world.post(built, at), TO_THE_END);
    tries.push(`${mine.unsaved.length} unsaved: ${built?.answers.at(-1) ?? "nothing built"}`);
    if (isSaved()) break;
    if (model.isCalm) expect(`at once, but ${tries}`).toBe("saved");
    for (const message of postsAgain ? old : []) world.post(message, 1 - at).allow(TO_THE_END);
    await world.advance(TRY_AGAIN_MS);
  }
  expectSavedOnce(model, world);
  expect(isSaved() ? "saved" : `not in ${tries.length} tries, the last: ${tries.at(-1)}`).toBe("saved");
  const saved = landed().flatMap(({ txValuesUsd }) => txValuesUsd);
  expect(world.payments.filter(({ usd }) => !saved.includes(usd))).toEqual([]);
}

const afterwards = fc.record({
  ending: fc.oneof(fc.constant(null), prepareAndDie, refuseTwice),
  strangers: fc.array(hostile, { maxLength: 4 }),
  postsAgain: fc.boolean(),
  server: fc.constantFrom(0, 1, null),
});

test("each payment and period is saved once after any fault at any store call, and the next saving lands in ten minutes", {
  timeout: RUNS * 2_000,
}, async () => {
  const seen = { calm: 0, saved: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(histories, afterwards, async (history, after) => {
      const world = await createClaimWorld();
      const model: Model = { savedBy: new Map(), isCalm: true };
      await fc.asyncModelRun(() => ({ model, real: world }), history);
      await after.ending?.run(model, world);
      await expectNextSaving(model, world, after);
      seen.calm += Number(model.isCalm);
      seen.saved += Number(model.savedBy.size > 2);
      seen.refused += Number(world.messages.some(({ answers }) => answers.includes("already_saved")));
    }),
    // Each shrinking step plays ten more minutes. After this time, report the smallest example so far.
    { numRuns: RUNS, interruptAfterTimeLimit: 90_000 + RUNS * 500 },
  );
  // What never happens proves nothing.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(RUNS / 50);
});
