import { expect, test } from "vitest";
import { microUsdToLamports, toMicroUsd } from "../../../../../lib/domain/money";
import { sumRoundUpsUsd } from "../../../../../lib/sdk/amounts";
import type { WatchSettings } from "../../../../../lib/sdk/cli/watch/world";
import { FEE_COLLECTORS, PRICES_USD } from "../../../../support/fakes/fake-deps";
import { seedRandom } from "../../../../support/fakes/seeded-random";
import { user } from "../../../../support/worlds/relay-rig";
import { createWatchRig, type Program, type WatchRig } from "../../../../support/worlds/watch-world";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const SETTINGS: WatchSettings = {
  terms: { plan: "forest" },
  everyUsd: 2,
  allocations: [
    { asset: "BTC", pct: 60 },
    { asset: "ETH", pct: 40 },
  ],
  thresholdUsd: 5,
  slippageBps: 100,
  maxPerDayUsd: 6,
  keepLamports: 200_000_000n,
  weeklyUsd: null,
  dryRun: false,
  intervalMs: 2 * MINUTE,
};

/** Creates a wallet with 100 SOL and an unused, empty service wallet. */
async function setUp() {
  const rig = await createWatchRig();
  rig.sandbox.setLamports(user.address, 100_000_000_000n);
  return rig;
}

/** Returns the wallet's savings in order, each with the content of its memo. */
async function savingsOf({ service, sandbox: { deps } }: WatchRig) {
  const savings = [];
  for (const { signature, blockTime } of (await deps.rpc.readSignatures(service, { limit: 1_000 })).reverse()) {
    const { movements, marks, postBalances, accountKeys } = (await deps.rpc.readTransaction(signature))!;
    if (accountKeys[0] !== user.address) continue;
    const of = (to: (address: string) => boolean) =>
      movements.filter((one) => to(one.to)).reduce((sum, { lamports }) => sum + lamports, 0n);
    const lamports = of((to) => to === service) + of((to) => FEE_COLLECTORS.includes(to));
    savings.push({ atMs: blockTime! * 1000, lamports, mark: marks[0]?.mark, left: postBalances[0]! });
  }
  return savings;
}

const usdOf = (lamports: bigint) => (Number(lamports) / 1e9) * PRICES_USD.SOL;

const signaturesIn = ({ log }: Program, event: string) =>
  log.filter((one) => one.event === event).flatMap(({ txSignatures }) => txSignatures ?? []);

test("saves at the change limit, invests at the threshold, and logs each action in one line", async () => {
  const rig = await setUp();
  const { clock } = rig;
  const program = rig.start(rig.machine("203.0.113.1"), { ...SETTINGS, thresholdUsd: 3 });
  for (let i = 0; i < 3; i++) rig.sandbox.sendPayment(10.4);
  await clock.advance(HOUR);
  expect(await savingsOf(rig)).toEqual([]);
  for (let i = 0; i < 3; i++) rig.sandbox.sendPayment(10.4);
  await clock.advance(HOUR);
  expect((await savingsOf(rig)).map(({ lamports }) => lamports)).toEqual([24_000_000n]);
  expect(program.log.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^saved \$3\.60 of 6 payments: \w{80,}$/),
    expect.stringMatching(/^invested into BTC and ETH: \w{80,} \w{80,}$/),
  ]);
  expect(signaturesIn(program, "saved")).toHaveLength(1);
  expect(program.log).toMatchObject([
    { event: "saved", amountUsd: 3.6, payments: 6 },
    { event: "invested", amountUsd: expect.closeTo(2.51, 2) },
  ]);
});

test("polls within seconds of a notified change, whatever the poll interval", async () => {
  const rig = await setUp();
  let tell = () => {};
  rig.changed = () =>
    new Promise((resolve) => {
      tell = resolve;
    });
  rig.start(rig.machine("203.0.113.1"), { ...SETTINGS, intervalMs: HOUR });
  await rig.clock.advance(MINUTE);
  for (let i = 0; i < 4; i++) rig.sandbox.sendPayment(10.4);
  await rig.clock.advance(MINUTE);
  expect(await savingsOf(rig)).toEqual([]);
  tell();
  await rig.clock.advance(10_000);
  expect(await savingsOf(rig)).toHaveLength(1);
});

test("makes at most 12 calls per minute when idle, and far fewer on average", async () => {
  const rig = await setUp();
  rig.start(rig.machine("203.0.113.1"), { ...SETTINGS, weeklyUsd: 2, intervalMs: 15_000 });
  await rig.clock.advance(10 * MINUTE);
  rig.calls.length = 0;
  await rig.clock.advance(25 * MINUTE);
  const times = rig.calls.map(({ atMs }) => atMs);
  for (const [i, at] of times.entries())
    expect(at - (times[i - 12] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThan(MINUTE);
  expect(times.length).toBeLessThan(25 * 5);
});

test("makes at most 12 calls per minute under endless irrelevant changes, and still saves payments", async () => {
  const rig = await setUp();
  const { clock, calls, sandbox } = rig;
  rig.changed = () => clock.sleep(1_000);
  rig.start(rig.machine("203.0.113.1"), { ...SETTINGS, intervalMs: 15_000 });
  await clock.advance(10 * MINUTE);
  for (const { atMs } of calls.filter(({ path }) => !/auth|derive/.test(path)))
    expect(calls.filter((one) => one.atMs >= atMs && one.atMs < atMs + MINUTE).length).toBeLessThanOrEqual(12);
  for (let i = 0; i < 6; i++) sandbox.sendPayment(10.4);
  await clock.advance(MINUTE);
  expect(await savingsOf(rig)).toHaveLength(1);
});

test("saves change that has waited for a day, however small, also after a restart", async () => {
  const rig = await setUp();
  const machine = rig.machine("203.0.113.1");
  rig.sandbox.sendPayment(10.9);
  const settings = { ...SETTINGS, intervalMs: 30 * MINUTE };
  const first = rig.start(machine, settings);
  await rig.clock.advance(20 * HOUR);
  first.kill();
  rig.start(machine, settings);
  await rig.clock.advance(3 * HOUR);
  expect(await savingsOf(rig)).toEqual([]);
  await rig.clock.advance(2 * HOUR);
  expect(await savingsOf(rig)).toHaveLength(1);
});

test("saves the oldest payments that fit the daily limit, and logs once that the rest waits", async () => {
  const rig = await setUp();
  const program = rig.start(rig.machine("203.0.113.1"), { ...SETTINGS, everyUsd: 1, intervalMs: 20 * MINUTE });
  for (let i = 0; i < 12; i++) rig.sandbox.sendPayment(10.4);
  await rig.clock.advance(3 * HOUR);
  expect((await savingsOf(rig)).map(({ lamports }) => usdOf(lamports))).toEqual([expect.closeTo(6, 5)]);
  expect(program.log.filter(({ event }) => event === "waits").map(({ text }) => text)).toEqual([
    "$1.20 would go beyond --max-per-day-usd: $6.00 of $6.00 are saved.",
  ]);
  await rig.clock.advance(22 * HOUR);
  expect((await savingsOf(rig)).map(({ lamports }) => usdOf(lamports))).toEqual([
    expect.closeTo(6, 5),
    expect.closeTo(1.2, 5),
  ]);
});

test("never reduces the wallet below its minimum balance", async () => {
  const rig = await setUp();
  for (let i = 0; i < 4; i++) rig.sandbox.sendPayment(10.4);
  rig.sandbox.setLamports(user.address, 215_000_000n);
  const program = rig.start(rig.machine("203.0.113.1"), SETTINGS);
  await rig.clock.advance(HOUR);
  expect(await savingsOf(rig)).toEqual([]);
  expect(program.log.map(({ text }) => text)).toEqual([
    "The wallet holds 0.215 SOL and would keep less than the 0.2 SOL of --keep-sol.",
  ]);
});

test("signs nothing with --dry-run, and logs the planned action", async () => {
  const rig = await setUp();
  rig.sandbox.setLamports(rig.service, 1_000_000_000n);
  for (let i = 0; i < 5; i++) rig.sandbox.sendPayment(10.4);
  const program = rig.start(rig.machine("203.0.113.1"), { ...SETTINGS, dryRun: true, weeklyUsd: 2 });
  await rig.clock.advance(HOUR);
  expect(new Set(program.log.map(({ text }) => text))).toEqual(
    new Set(["would top up $2.00", "would save $3.00", "would invest what is saved"]),
  );
  expect(rig.calls.filter(({ path }) => path === "/api/swap/execute")).toEqual([]);
});

test("makes a top-up that another watch started and that never landed", async () => {
  const rig = await setUp();
  const { sandbox, clock } = rig;
  const settings = { ...SETTINGS, weeklyUsd: 2 };
  sandbox.arrives = () => false;
  const first = rig.start(rig.machine("203.0.113.1"), settings);
  await clock.advance(20_000);
  first.kill();
  rig.start(rig.machine("203.0.113.2"), settings);
  await clock.advance(10 * MINUTE);
  expect(await savingsOf(rig)).toEqual([]);
  sandbox.arrives = () => true;
  await clock.advance(HOUR);
  expect((await savingsOf(rig)).map(({ mark }) => mark?.kind)).toEqual(["topup"]);
});

test("stops when the service builds something other than requested", async () => {
  const rig = await setUp();
  for (let i = 0; i < 5; i++) rig.sandbox.sendPayment(10.4);
  rig.alter = (body) => body.replace(/"userInvestmentLamports":\d/, '"userInvestmentLamports":9');
  const program = rig.start(rig.machine("203.0.113.1"), SETTINGS);
  await rig.clock.advance(HOUR);
  expect(program.failure).toMatchObject({ name: "NotAsShown" });
  expect(await savingsOf(rig)).toEqual([]);
});

/** Number of simulated weeks; `npm run fuzz` sets a higher one. Each week has its own random seed. */
const WEEKS = Math.max(1, Math.ceil(Number(process.env.FUZZ_RUNS ?? 0) / 1_000));

test.each(Array.from({ length: WEEKS }, (_, i) => i + 1))(
  "saves each payment exactly once, within all limits and with one top-up, in week %i of random spending and faults",
  async (seed) => {
    const rig = await setUp();
    const { sandbox, clock } = rig;
    const began = clock.now();
    const chance = seedRandom(seed);
    const settings = { ...SETTINGS, weeklyUsd: 2, maxPerDayUsd: 8, intervalMs: 110 * MINUTE };
    const machines = [rig.machine("203.0.113.1"), rig.machine("203.0.113.2")];
    const programs: (Program | null)[] = [null, null];
    const paid: { signature: string; usd: number }[] = [];
    let trouble = 0;
    rig.fault = () => {
      const drawn = chance() * 100;
      if (drawn >= trouble) return null;
      return (["cut", "lost", "limited", "killed"] as const)[Math.floor((drawn / trouble) * 4)]!;
    };
    sandbox.arrives = () => chance() * 100 >= trouble;
    for (let hour = 0; hour < 7 * 24 + 36; hour++) {
      const isOver = hour >= 7 * 24;
      // Simulate hours of network loss during the week. Afterwards the network is reliable, so that the watches catch up.
      trouble = isOver ? 0 : chance() < 0.08 ? 100 : 8;
      for (const [i, machine] of machines.entries()) {
        if (programs[i] && !isOver && chance() < 0.02) programs[i]!.kill();
        if (!programs[i] || programs[i]!.isDead()) programs[i] = rig.start(machine, settings);
        expect(programs[i]!.failure).toBeUndefined();
      }
      for (let count = isOver || chance() < 0.82 ? 0 : Math.floor(chance() * 7); count > 0; count--) {
        // Use steps that are whole cents and also whole lamports.
        const usd = Math.ceil(chance() * 333) * 0.15;
        paid.push({ signature: sandbox.sendPayment(usd, chance() < 0.5 ? "SOL" : "USDC"), usd });
        await clock.advance(1_000);
      }
      await clock.advance(HOUR);
      sandbox.market.tick();
    }
    const savings = await savingsOf(rig);
    const saves = savings.filter(({ mark }) => mark?.kind === "through");
    let from = 0;
    for (const { mark, lamports } of saves) {
      const to = paid.findIndex(({ signature }) => signature === mark!.value) + 1;
      const change = sumRoundUpsUsd(
        paid.slice(from, to).map(({ usd }) => usd),
        settings.terms,
      );
      // The first saving opens the service wallet, so it may take more than the change.
      if (from > 0) expect(lamports).toBe(microUsdToLamports(toMicroUsd(change), toMicroUsd(PRICES_USD.SOL)));
      expect(to).toBeGreaterThan(from);
      from = to;
    }
    const left = paid.slice(from).map(({ usd }) => usd);
    expect(sumRoundUpsUsd(left, settings.terms)).toBe(0);
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
  300_000,
);

test("pauses when SOL's price moved too far, logs the reason once, and saves when the price is back", async () => {
  const rig = await setUp();
  const program = rig.start(rig.machine("203.0.113.1"), SETTINGS);
  const spend = () => {
    for (let i = 0; i < 4; i++) rig.sandbox.sendPayment(10.4);
  };
  spend();
  await rig.clock.advance(HOUR);
  expect(await savingsOf(rig)).toHaveLength(1);
  rig.alter = (body) => body.replaceAll('"solPriceUsd":150', '"solPriceUsd":90');
  spend();
  await rig.clock.advance(2 * HOUR);
  expect(await savingsOf(rig)).toHaveLength(1);
  const waits = program.log.filter(({ event }) => event === "waits").map(({ text }) => text);
  expect(waits).toEqual([expect.stringMatching(/SOL costs \$90\.00.*It was \$150\.00.*Nothing is signed until/)]);
  rig.alter = (body) => body;
  await rig.clock.advance(HOUR);
  expect([await savingsOf(rig), program.isDead()]).toMatchObject([{ length: 2 }, false]);
});
