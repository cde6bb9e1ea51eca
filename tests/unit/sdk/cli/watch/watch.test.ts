import { expect, test } from "vitest";
import { microUsdToLamports, toMicroUsd } from "../../../../../lib/domain/money";
import { changeUsdOf } from "../../../../../lib/sdk/amounts";
import type { WatchSettings } from "../../../../../lib/sdk/cli/watch/settings";
import { FEE_COLLECTORS, PRICES_USD, solAccount } from "../../../../support/fake-deps";
import { user } from "../../../../support/relay-rig";
import { type Program, type WatchRig, watchRig } from "../../../../support/watch-world";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const SETTINGS: WatchSettings = {
  terms: { plan: "forest" },
  everyUsd: 2,
  legs: [
    { asset: "BTC", pct: 60 },
    { asset: "ETH", pct: 40 },
  ],
  thresholdUsd: 5,
  slippageBps: 100,
  maxPerDayUsd: 6,
  keepLamports: 200_000_000n,
  weeklyUsd: null,
  dryRun: false,
  intervalMs: 15_000,
};

/** A wallet with 10 SOL and an empty service wallet that nobody looked at yet. */
async function setUp() {
  const rig = await watchRig();
  rig.world.deps.chain.accounts.set(user.address, solAccount(10_000_000_000n));
  rig.world.deps.chain.accounts.delete(rig.world.service);
  return rig;
}

/** What left the wallet into savings, in order, with what its memo says. */
function savingsOf({ world }: WatchRig) {
  const { chain } = world.deps;
  return [...chain.history.get(world.service)!].reverse().flatMap(({ signature, blockTime }) => {
    const { movements, marks, postBalances, accountKeys } = chain.transactions.get(signature)!;
    if (accountKeys[0] !== user.address) return [];
    const of = (to: (address: string) => boolean) =>
      movements.filter((one) => to(one.to)).reduce((sum, { lamports }) => sum + lamports, 0n);
    const saved = of((to) => to === world.service);
    const fee = of((to) => FEE_COLLECTORS.includes(to));
    return [{ atMs: blockTime! * 1000, lamports: saved + fee, mark: marks[0]?.mark, left: postBalances[0]! }];
  });
}

const usdOf = (lamports: bigint) => (Number(lamports) / 1e9) * PRICES_USD.SOL;

function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
  };
}

const signaturesIn = ({ log }: Program, event: string) =>
  log.filter((one) => one.event === event).flatMap(({ txSignatures }) => txSignatures ?? []);

test("what is spent is saved once its change reaches the limit, invested from the threshold on, and said in a line each", async () => {
  const rig = await setUp();
  const { clock } = rig.world.deps;
  const program = rig.start(rig.machine("203.0.113.1"), { ...SETTINGS, thresholdUsd: 3 });
  for (let i = 0; i < 3; i++) rig.world.pay(10.4);
  await clock.advance(HOUR);
  expect(savingsOf(rig)).toEqual([]);
  for (let i = 0; i < 3; i++) rig.world.pay(10.4);
  await clock.advance(HOUR);
  expect(savingsOf(rig).map(({ lamports }) => lamports)).toEqual([24_000_000n]);
  expect(program.log.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^saved \$3\.60 of 6 payments: \w{80,}$/),
    expect.stringMatching(/^invested into BTC and ETH: \w{80,} \w{80,}$/),
  ]);
  expect(signaturesIn(program, "saved")).toHaveLength(1);
});

test("idle, it makes at most 12 calls in any minute, and far fewer of them on average", async () => {
  const rig = await setUp();
  rig.start(rig.machine("203.0.113.1"), { ...SETTINGS, weeklyUsd: 2 });
  await rig.world.deps.clock.advance(10 * MINUTE);
  rig.calls.length = 0;
  await rig.world.deps.clock.advance(HOUR);
  const times = rig.calls.map(({ atMs }) => atMs);
  for (const [i, at] of times.entries())
    expect(at - (times[i - 12] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThan(MINUTE);
  expect(times.length).toBeLessThan(60 * 5);
});

test("change that waits for a day is saved however little it is, after a restart too", async () => {
  const rig = await setUp();
  const machine = rig.machine("203.0.113.1");
  rig.world.pay(10.9);
  const settings = { ...SETTINGS, intervalMs: 10 * MINUTE };
  const first = rig.start(machine, settings);
  await rig.world.deps.clock.advance(20 * HOUR);
  first.kill();
  rig.start(machine, settings);
  await rig.world.deps.clock.advance(3 * HOUR);
  expect(savingsOf(rig)).toEqual([]);
  await rig.world.deps.clock.advance(2 * HOUR);
  expect(savingsOf(rig)).toHaveLength(1);
});

test("of more than a day has room for, the oldest payments are saved that fit; the rest waits, in one line", async () => {
  const rig = await setUp();
  const program = rig.start(rig.machine("203.0.113.1"), { ...SETTINGS, everyUsd: 1, intervalMs: 5 * MINUTE });
  for (let i = 0; i < 12; i++) rig.world.pay(10.4);
  await rig.world.deps.clock.advance(3 * HOUR);
  expect(savingsOf(rig).map(({ lamports }) => usdOf(lamports))).toEqual([expect.closeTo(6, 5)]);
  expect(program.log.filter(({ event }) => event === "waits").map(({ text }) => text)).toEqual([
    "$1.20 would go beyond --max-per-day: $6.00 of $6.00 are saved.",
  ]);
  await rig.world.deps.clock.advance(22 * HOUR);
  expect(savingsOf(rig).map(({ lamports }) => usdOf(lamports))).toEqual([expect.closeTo(6, 5), expect.closeTo(1.2, 5)]);
});

test("it saves nothing that would leave less in the wallet than is to be kept", async () => {
  const rig = await setUp();
  rig.world.deps.chain.accounts.set(user.address, solAccount(215_000_000n));
  const program = rig.start(rig.machine("203.0.113.1"), SETTINGS);
  for (let i = 0; i < 4; i++) rig.world.pay(10.4);
  await rig.world.deps.clock.advance(HOUR);
  expect(savingsOf(rig)).toEqual([]);
  expect(program.log.map(({ text }) => text)).toEqual([
    "The wallet holds 0.215 SOL and would keep less than --keep 0.2 SOL.",
  ]);
});

test("--dry-run says what it would do, and signs nothing", async () => {
  const rig = await setUp();
  rig.world.deps.chain.accounts.set(rig.world.service, solAccount(1_000_000_000n));
  for (let i = 0; i < 5; i++) rig.world.pay(10.4);
  const program = rig.start(rig.machine("203.0.113.1"), { ...SETTINGS, dryRun: true, weeklyUsd: 2 });
  await rig.world.deps.clock.advance(HOUR);
  expect(new Set(program.log.map(({ text }) => text))).toEqual(
    new Set(["would top up $2.00", "would save $3.00", "would invest what is saved"]),
  );
  expect(rig.calls.filter(({ path }) => path === "/api/swap/execute")).toEqual([]);
});

test("a service that builds something else than was asked for ends it", async () => {
  const rig = await setUp();
  for (let i = 0; i < 5; i++) rig.world.pay(10.4);
  rig.alter = (body) => body.replace(/"userInvestmentLamports":\d/, '"userInvestmentLamports":9');
  const program = rig.start(rig.machine("203.0.113.1"), SETTINGS);
  await rig.world.deps.clock.advance(HOUR);
  expect(program.failure).toMatchObject({ name: "NotAsShown" });
  expect(savingsOf(rig)).toEqual([]);
});

/** In `npm run fuzz` more of them, each of its own chance. */
const WEEKS = Math.max(1, Math.ceil(Number(process.env.FUZZ_RUNS ?? 0) / 1_000));

test.each(Array.from({ length: WEEKS }, (_, i) => i + 1))(
  "a week (%i) of random spending, two watchers, restarts, cut networks and 429s: each payment is saved exactly once, no limit is passed, and a week has one top-up",
  async (seed) => {
    const rig = await setUp();
    const { world } = rig;
    const { clock } = world.deps;
    const began = clock.now();
    const chance = chances(seed);
    const settings = { ...SETTINGS, weeklyUsd: 2, maxPerDayUsd: 8, intervalMs: 50 * MINUTE };
    const machines = [rig.machine("203.0.113.1"), rig.machine("203.0.113.2")];
    const programs: (Program | null)[] = [null, null];
    const paid: { signature: string; usd: number; atMs: number }[] = [];
    let trouble = 0;
    rig.fault = () => {
      const drawn = chance() * 100;
      if (drawn >= trouble) return null;
      return (["cut", "lost", "limited", "killed"] as const)[Math.floor((drawn / trouble) * 4)]!;
    };
    world.lands = () => chance() * 100 >= trouble;
    for (let hour = 0; hour < 7 * 24 + 48; hour++) {
      const isOver = hour >= 7 * 24;
      // Hours of a network that is cut come in between; what follows the week is quiet, so that all can be caught up.
      trouble = isOver ? 0 : chance() < 0.08 ? 100 : 8;
      for (const [i, machine] of machines.entries()) {
        if (programs[i] && !isOver && chance() < 0.02) programs[i]!.kill();
        if (!programs[i] || programs[i]!.isDead()) programs[i] = rig.start(machine, settings);
        expect(programs[i]!.failure).toBeUndefined();
      }
      for (let count = isOver || chance() < 0.82 ? 0 : Math.floor(chance() * 7); count > 0; count--) {
        const usd = Math.round(chance() * 5_000) / 100;
        paid.push({ signature: world.pay(usd || 1), usd: usd || 1, atMs: clock.now() });
        await clock.advance(1_000);
      }
      await clock.advance(HOUR);
    }
    const savings = savingsOf(rig);
    const saves = savings.filter(({ mark }) => mark?.kind === "through");
    let from = 0;
    for (const { mark, lamports } of saves) {
      const to = paid.findIndex(({ signature }) => signature === mark!.value) + 1;
      const change = changeUsdOf(
        paid.slice(from, to).map(({ usd }) => usd),
        settings.terms,
      );
      // The first one opens the service wallet, which may take more than the change.
      if (from > 0) expect(lamports).toBe(microUsdToLamports(toMicroUsd(change), toMicroUsd(PRICES_USD.SOL)));
      expect(to).toBeGreaterThan(from);
      from = to;
    }
    const left = paid.slice(from).map(({ usd }) => usd);
    expect(changeUsdOf(left, settings.terms)).toBe(0);
    for (const { atMs } of savings) {
      const ofDay = savings.filter((one) => one.atMs <= atMs && one.atMs > atMs - DAY);
      expect(ofDay.reduce((sum, { lamports }) => sum + usdOf(lamports), 0)).toBeLessThan(
        settings.maxPerDayUsd + 0.000001,
      );
    }
    for (const { left: kept } of savings) expect(kept).toBeGreaterThanOrEqual(settings.keepLamports);
    const periods = savings.flatMap(({ mark }) => (mark?.kind === "topup" ? [mark.value] : []));
    expect(new Set(periods).size).toBe(periods.length);
    expect(periods.length).toBeGreaterThanOrEqual(Math.floor((clock.now() - began) / (7 * DAY)));
    expect(saves.length).toBeGreaterThan(7);
  },
);
