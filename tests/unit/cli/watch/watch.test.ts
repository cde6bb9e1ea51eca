import { expect, test } from "vitest";
import type { WatchSettings } from "../../../../lib/cli/watch/watch-context";
import type { TransactionFigures } from "../../../../lib/domain/activity";
import { deriveUsdcAccount } from "../../../../lib/domain/dollar-accounts";
import { microUsdToLamports, toMicroUsd } from "../../../../lib/domain/money";
import { combinePayments } from "../../../../lib/domain/spending/batches";
import { DAY_MS } from "../../../../lib/domain/time";
import { sumRoundUpsUsd } from "../../../../lib/sdk/amounts";
import { readTokenAmount } from "../../../../lib/solana/token-accounts";
import { FEE_COLLECTORS, PRICES_USD } from "../../../support/fakes/fake-deps";
import { createSeededRandom } from "../../../support/fakes/seeded-random";
import { stranger, user } from "../../../support/worlds/relay-rig";
import { createWatchRig, type Program, type WatchRig } from "../../../support/worlds/watch-world";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

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
  maxPerMonthUsd: null,
  keepLamports: 200_000_000n,
  weeklyUsd: null,
  isDryRun: false,
  intervalMs: 2 * MINUTE_MS,
};

/** Creates a wallet with 100 SOL and an unused, empty service wallet. */
async function createRig() {
  const rig = await createWatchRig();
  rig.sandbox.setLamports(user.address, 100_000_000_000n);
  return rig;
}

/** Returns the wallet's savings in order, each with the content of its memo. */
async function readSavings({ serviceWallet, sandbox: { deps } }: WatchRig) {
  const savings = [];
  for (const { signature, blockTime } of (await deps.rpc.readSignatures(serviceWallet, { limit: 1_000 })).reverse()) {
    const transaction = (await deps.rpc.readTransaction(signature)) as TransactionFigures;
    const { movements, marks, postBalances, accountKeys } = transaction;
    if (accountKeys[0] !== user.address) continue;
    const sumLamportsTo = (isRecipient: (address: string) => boolean) =>
      movements.filter(({ to }) => isRecipient(to)).reduce((sum, { lamports }) => sum + lamports, 0n);
    const lamports = sumLamportsTo((to) => to === serviceWallet) + sumLamportsTo((to) => FEE_COLLECTORS.includes(to));
    savings.push({ atMs: blockTime! * 1000, lamports, mark: marks[0]?.mark, balance: postBalances[0]! });
  }
  return savings;
}

const toUsd = (lamports: bigint) => (Number(lamports) / 1e9) * PRICES_USD.SOL;

test("the watch saves once the change reaches everyUsd, and invests at the threshold", async () => {
  const rig = await createRig();
  const { clock } = rig;
  const program = rig.start(rig.createMachine("203.0.113.1"), { ...SETTINGS, thresholdUsd: 3 });
  for (let i = 0; i < 3; i++) rig.sandbox.sendPayment(10.4);
  await clock.advance(HOUR_MS);
  expect(await readSavings(rig)).toEqual([]);
  for (let i = 0; i < 3; i++) rig.sandbox.sendPayment(10.4);
  await clock.advance(HOUR_MS);
  expect((await readSavings(rig)).map(({ lamports }) => lamports)).toEqual([24_000_000n]);
  expect(program.log.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^saved \$3\.60 from 6 payments of \$62\.40 \(saves 5\.8 % of what you spent\): \w{80,}$/),
    expect.stringMatching(/^invested into BTC and ETH: \w{80,} \w{80,}$/),
  ]);
  expect(program.log).toMatchObject([
    { event: "saved", amountUsd: 3.6, payments: 6, txSignatures: { length: 1 } },
    { event: "invested", amountUsd: expect.closeTo(2.79, 2) },
  ]);
});

test("the watch saves small payments as one value, once they reach a dollar", async () => {
  const rig = await createRig();
  const program = rig.start(rig.createMachine("203.0.113.1"), { ...SETTINGS, everyUsd: 0.5, intervalMs: HOUR_MS });
  for (let i = 0; i < 8; i++) rig.sandbox.sendPayment(0.12, "USDC");
  await rig.clock.advance(2 * DAY_MS);
  expect(program.log).toEqual([]);
  rig.sandbox.sendPayment(0.3, "USDC");
  await rig.clock.advance(2 * HOUR_MS);
  expect(program.log).toMatchObject([{ event: "saved", amountUsd: 0.74, payments: 9 }]);
  expect(program.log[0]!.text).toMatch(
    /^saved \$0\.74 from 9 small payments, \$1\.26 \(saves 59 % of what you spent\): \w{80,}$/,
  );
});

test("the watch polls within seconds of a notified change", async () => {
  const rig = await createRig();
  let notify = () => {};
  rig.waitForChange = () =>
    new Promise((resolve) => {
      notify = resolve;
    });
  rig.start(rig.createMachine("203.0.113.1"), { ...SETTINGS, intervalMs: HOUR_MS });
  await rig.clock.advance(MINUTE_MS);
  for (let i = 0; i < 4; i++) rig.sandbox.sendPayment(10.4);
  await rig.clock.advance(MINUTE_MS);
  expect(await readSavings(rig)).toEqual([]);
  notify();
  await rig.clock.advance(10_000);
  expect(await readSavings(rig)).toHaveLength(1);
});

test("the watch makes at most 12 calls per minute when idle", async () => {
  const rig = await createRig();
  rig.start(rig.createMachine("203.0.113.1"), { ...SETTINGS, weeklyUsd: 2, intervalMs: 15_000 });
  await rig.clock.advance(10 * MINUTE_MS);
  rig.calls.length = 0;
  await rig.clock.advance(25 * MINUTE_MS);
  const callTimes = rig.calls.map(({ atMs }) => atMs);
  for (const [i, callTime] of callTimes.entries())
    expect(callTime - (callTimes[i - 12] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThan(MINUTE_MS);
  expect(callTimes.length).toBeLessThan(25 * 5);
});

test("the watch makes at most 12 calls per minute under endless irrelevant changes", async () => {
  const rig = await createRig();
  const { clock, calls, sandbox } = rig;
  rig.waitForChange = () => clock.sleep(1_000);
  rig.start(rig.createMachine("203.0.113.1"), { ...SETTINGS, intervalMs: 15_000 });
  await clock.advance(10 * MINUTE_MS);
  for (const { atMs } of calls.filter(({ path }) => !/auth|derive/.test(path)))
    expect(calls.filter((call) => call.atMs >= atMs && call.atMs < atMs + MINUTE_MS).length).toBeLessThanOrEqual(12);
  for (let i = 0; i < 6; i++) sandbox.sendPayment(10.4);
  await clock.advance(MINUTE_MS);
  expect(await readSavings(rig)).toHaveLength(1);
});

test("the watch saves change that has waited for a day, even after a restart", async () => {
  const rig = await createRig();
  const machine = rig.createMachine("203.0.113.1");
  rig.sandbox.sendPayment(10.9);
  const settings = { ...SETTINGS, intervalMs: 30 * MINUTE_MS };
  const firstProgram = rig.start(machine, settings);
  await rig.clock.advance(20 * HOUR_MS);
  firstProgram.kill();
  rig.start(machine, settings);
  await rig.clock.advance(3 * HOUR_MS);
  expect(await readSavings(rig)).toEqual([]);
  await rig.clock.advance(2 * HOUR_MS);
  expect(await readSavings(rig)).toHaveLength(1);
});

test("the watch never reduces the wallet below its minimum balance", async () => {
  const rig = await createRig();
  for (let i = 0; i < 4; i++) rig.sandbox.sendPayment(10.4);
  rig.sandbox.setLamports(user.address, 215_000_000n);
  const program = rig.start(rig.createMachine("203.0.113.1"), SETTINGS);
  await rig.clock.advance(HOUR_MS);
  expect(await readSavings(rig)).toEqual([]);
  expect(program.log.map(({ text }) => text)).toEqual([
    "The wallet holds 0.215 SOL and would keep less than the 0.2 SOL of --keep-sol.",
  ]);
});

test("with --dry-run, the watch only logs the planned actions", async () => {
  const rig = await createRig();
  rig.sandbox.setLamports(rig.serviceWallet, 1_000_000_000n);
  for (let i = 0; i < 5; i++) rig.sandbox.sendPayment(10.4);
  const program = rig.start(rig.createMachine("203.0.113.1"), { ...SETTINGS, isDryRun: true, weeklyUsd: 2 });
  await rig.clock.advance(HOUR_MS);
  expect(new Set(program.log.map(({ text }) => text))).toEqual(
    new Set(["would top up $2.00", "would save $3.00", "would invest what is saved"]),
  );
  expect(rig.calls.filter(({ path }) => path === "/api/swap/execute")).toEqual([]);
});

test("the watch makes a top-up that another watch started and that never landed", async () => {
  const rig = await createRig();
  const { sandbox, clock } = rig;
  const settings = { ...SETTINGS, weeklyUsd: 2 };
  sandbox.isDelivered = () => false;
  const firstProgram = rig.start(rig.createMachine("203.0.113.1"), settings);
  await clock.advance(20_000);
  firstProgram.kill();
  rig.start(rig.createMachine("203.0.113.2"), settings);
  await clock.advance(10 * MINUTE_MS);
  expect(await readSavings(rig)).toEqual([]);
  sandbox.isDelivered = () => true;
  await clock.advance(HOUR_MS);
  expect((await readSavings(rig)).map(({ mark }) => mark?.kind)).toEqual(["topup"]);
});

test("the watch stops when the service builds a different saving than requested", async () => {
  const rig = await createRig();
  for (let i = 0; i < 5; i++) rig.sandbox.sendPayment(10.4);
  rig.alterBody = (body) => body.replace(/"userInvestmentLamports":\d/, '"userInvestmentLamports":9');
  const program = rig.start(rig.createMachine("203.0.113.1"), SETTINGS);
  await rig.clock.advance(HOUR_MS);
  expect(program.failure).toMatchObject({ name: "NotAsShown" });
  expect(await readSavings(rig)).toEqual([]);
});

/** Creates wallets with little SOL, and an allowance of this many dollars. `readUnits` returns what is saved. */
async function createAllowanceRig(allowedUsd: number) {
  const rig = await createWatchRig();
  const { sandbox, serviceWallet } = rig;
  for (const address of [user.address, serviceWallet]) sandbox.setLamports(address, 3_000_000n);
  sandbox.approve(serviceWallet, allowedUsd);
  const readUnits = () => readTokenAmount(sandbox.chain.getAccount(deriveUsdcAccount(serviceWallet))!.data);
  const settings = { ...SETTINGS, payWith: "USDC", by: "allowance", thresholdUsd: 100 } as const;
  return { rig, readUnits, settings };
}

test("without the user's key, the watch saves by allowance within its limit, and goes on watching while there is none", async () => {
  const { rig, readUnits, settings } = await createAllowanceRig(3);
  const { sandbox, clock, serviceWallet } = rig;
  const program = rig.start(rig.createMachine("203.0.113.1"), settings, false);
  const payAndWait = async () => {
    for (let i = 0; i < 5; i++) sandbox.sendPayment(10.4);
    await clock.advance(HOUR_MS);
  };
  const approveAndWait = async (delegate: string, usd: number) => {
    sandbox.approve(delegate, usd);
    await clock.advance(HOUR_MS);
  };
  await payAndWait();
  const firstUnits = readUnits();
  expect(firstUnits).toBe(2_992_500n);
  await payAndWait();
  await approveAndWait(stranger.address, 25);
  await approveAndWait(serviceWallet, 0.5);
  expect(readUnits()).toBe(firstUnits);
  await approveAndWait(serviceWallet, 25);
  expect(readUnits()).toBe(2n * firstUnits);
  // The limit is $6 a day, and $6 are saved.
  await payAndWait();
  expect(readUnits()).toBe(2n * firstUnits);
  await clock.advance(DAY_MS);
  expect(readUnits()).toBe(3n * firstUnits);
  const nothingSaved = "Nothing is saved until the wallet allows its savings wallet more.";
  expect(program.log.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^saved \$3\.00 in USDC from 5 payments of \$52\.00 /),
    `The allowance is used up or revoked. ${nothingSaved}`,
    `The allowance was replaced: ${stranger.address} may take the wallet's USDC now. ${nothingSaved}`,
    `The allowance has $0.50 left, which is less than the saving takes. ${nothingSaved}`,
    expect.stringMatching(/^saved \$3\.00 in USDC/),
    expect.stringMatching(/^\$\d\.\d\d would go beyond --max-per-day-usd: \$\d\.\d+ of \$6\.00 are saved\.$/),
    expect.stringMatching(/^saved \$3\.00 in USDC/),
  ]);
  expect(program.failure).toBeUndefined();
});

test("by allowance, the watch stops at the monthly limit over days, kills and lost state, and goes on next month", async () => {
  const { rig, readUnits, settings: allowanceSettings } = await createAllowanceRig(100);
  const { sandbox, clock } = rig;
  const settings = { ...allowanceSettings, intervalMs: HOUR_MS, maxPerMonthUsd: 8 };
  const monthEndMs = new Date(2026, 9, 1).getTime();
  await clock.advance(monthEndMs - 4 * DAY_MS - clock.now());
  let machine = rig.createMachine("203.0.113.1");
  let program = rig.start(machine, settings, false);
  for (let day = 0; day < 3; day++) {
    // The program dies when its saving is sent, before it learns the outcome.
    rig.fault = () => (rig.calls.at(-1)!.path.endsWith("/execute") ? "killed" : null);
    for (let i = 0; i < 5; i++) {
      sandbox.sendPayment(10.4);
      await clock.advance(1_000);
    }
    await clock.advance(2 * HOUR_MS);
    rig.fault = () => null;
    program.kill();
    if (day === 2) machine = rig.createMachine("203.0.113.2");
    program = rig.start(machine, settings, false);
    await clock.advance(22 * HOUR_MS);
  }
  await clock.advance(monthEndMs - clock.now() - 1);
  // Two savings of $3.00 and one of $1.80, without the fee of 0.25 %.
  expect(readUnits()).toBe(7_780_500n);
  expect(program.log.map(({ text }) => text)).toEqual([
    "$1.20 would go beyond --max-per-month-usd: $7.80 of $8.00 are saved.",
  ]);
  await clock.advance(2 * HOUR_MS);
  expect(readUnits()).toBe(7_780_500n + 1_197_000n);
  expect(program.failure).toBeUndefined();
});

/** The number of simulated wallets. Each has a different random seed. `npm run fuzz` simulates more. */
const SEEDS = Math.max(1, Math.ceil(Number(process.env.FUZZ_RUNS ?? 0) / 1_000));

test.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
  "two watches save each payment once and within all limits after five days of random spending and faults (seed %i)",
  async (seed) => {
    const rig = await createRig();
    const { sandbox, clock } = rig;
    const startMs = clock.now();
    const drawFraction = createSeededRandom(seed);
    const settings = { ...SETTINGS, weeklyUsd: 2, maxPerDayUsd: 8, intervalMs: 170 * MINUTE_MS };
    const machines = [rig.createMachine("203.0.113.1"), rig.createMachine("203.0.113.2")];
    const programs: (Program | null)[] = [null, null];
    const payments: { signature: string; usd: number }[] = [];
    const computeChangeUsd = (saved: typeof payments) =>
      sumRoundUpsUsd(combinePayments(saved.map(({ usd }) => usd)).txValuesUsd, settings.terms);
    let faultPercent = 0;
    rig.fault = () => {
      const drawnPercent = drawFraction() * 100;
      if (drawnPercent >= faultPercent) return null;
      return (["cut", "lost", "limited", "killed"] as const)[Math.floor((drawnPercent / faultPercent) * 4)]!;
    };
    sandbox.isDelivered = () => drawFraction() * 100 >= faultPercent;
    // The daily limit lets the watches save what is left at the end within 60 hours.
    for (let hour = 0; hour < 5 * 24 + 60; hour++) {
      const isOver = hour >= 5 * 24;
      // The network is lost for some hours. Afterwards it is reliable, so that the watches catch up.
      faultPercent = isOver ? 0 : drawFraction() < 0.08 ? 100 : 8;
      for (const [i, machine] of machines.entries()) {
        if (programs[i] && !isOver && drawFraction() < 0.02) programs[i]!.kill();
        if (!programs[i] || programs[i]!.isDead()) programs[i] = rig.start(machine, settings);
        expect(programs[i]!.failure).toBeUndefined();
      }
      for (let count = isOver || drawFraction() < 0.82 ? 0 : Math.floor(drawFraction() * 7); count > 0; count--) {
        // A payment in steps of 15 cents is a whole number of cents and of lamports.
        const usd = Math.ceil(drawFraction() * 333) * 0.15;
        payments.push({ signature: sandbox.sendPayment(usd, drawFraction() < 0.5 ? "SOL" : "USDC"), usd });
        await clock.advance(1_000);
      }
      await clock.advance(HOUR_MS);
      sandbox.market.tick();
    }
    const savings = await readSavings(rig);
    const batchSavings = savings.filter(({ mark }) => mark?.kind === "through");
    let savedCount = 0;
    for (const { mark, lamports } of batchSavings) {
      const endCount = payments.findIndex(({ signature }) => signature === mark!.value) + 1;
      const changeUsd = computeChangeUsd(payments.slice(savedCount, endCount));
      // The first saving opens the service wallet, so it may take more than the change.
      if (savedCount > 0) expect(lamports).toBe(microUsdToLamports(toMicroUsd(changeUsd), toMicroUsd(PRICES_USD.SOL)));
      expect(endCount).toBeGreaterThan(savedCount);
      savedCount = endCount;
    }
    expect(computeChangeUsd(payments.slice(savedCount))).toBe(0);
    for (const { atMs } of savings) {
      const savingsOfLastDay = savings.filter((saving) => saving.atMs <= atMs && saving.atMs > atMs - DAY_MS);
      expect(savingsOfLastDay.reduce((sum, { lamports }) => sum + toUsd(lamports), 0)).toBeLessThan(
        settings.maxPerDayUsd + 0.000001,
      );
    }
    for (const { balance } of savings) expect(balance).toBeGreaterThanOrEqual(settings.keepLamports);
    const periods = savings.flatMap(({ mark }) => (mark?.kind === "topup" ? [mark.value] : []));
    expect(new Set(periods).size).toBe(periods.length);
    expect(periods.length).toBeGreaterThanOrEqual(Math.floor((clock.now() - startMs) / (7 * DAY_MS)));
    expect(batchSavings.length).toBeGreaterThan(7);
  },
  300_000,
);

test("the watch pauses while the price of SOL is too far from the confirmed one", async () => {
  const rig = await createRig();
  const program = rig.start(rig.createMachine("203.0.113.1"), SETTINGS);
  const payFourTimes = () => {
    for (let i = 0; i < 4; i++) rig.sandbox.sendPayment(10.4);
  };
  payFourTimes();
  await rig.clock.advance(HOUR_MS);
  expect(await readSavings(rig)).toHaveLength(1);
  rig.alterBody = (body) => body.replaceAll('"solPriceUsd":150', '"solPriceUsd":90');
  payFourTimes();
  await rig.clock.advance(2 * HOUR_MS);
  expect(await readSavings(rig)).toHaveLength(1);
  const reasons = program.log.filter(({ event }) => event === "waits").map(({ text }) => text);
  expect(reasons).toEqual([expect.stringMatching(/SOL costs \$90\.00.*It was \$150\.00.*Nothing is signed until/)]);
  rig.alterBody = (body) => body;
  await rig.clock.advance(HOUR_MS);
  expect([await readSavings(rig), program.isDead()]).toMatchObject([{ length: 2 }, false]);
});
