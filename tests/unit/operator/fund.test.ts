import { beforeEach, expect, test } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
import { printStatus } from "../../../lib/operator/commands";
import { fundCollectors } from "../../../lib/operator/fund";
import { formatExactSol } from "../../../lib/operator/table";
import { createOperatorRig } from "../../support/chain/operator-rig";
import { ONE_SOL, putTokens } from "../../support/chain/sandbox-rig";
import { EMPTY_RENT_LAMPORTS } from "../../support/fixtures/rent";

const { mint } = ASSETS.USDC;
const SIGNATURE_FEE_LAMPORTS = 5_000n;

let rig: ReturnType<typeof createOperatorRig>;
beforeEach(() => {
  rig = createOperatorRig();
  rig.setLamports(rig.funder, ONE_SOL);
});
const fund = (shouldSend = true) => fundCollectors(rig.session, { shouldSend });

const topUpLamports = 8n * 2n * EMPTY_RENT_LAMPORTS;

test("opens the USDC account of each collector once, beside the rent, and itemises what the funder pays", async () => {
  await fund(false);
  const costLamports = topUpLamports + 8n * rig.tokenRentLamports + SIGNATURE_FEE_LAMPORTS;
  const itemised = rig.takePrinted();
  for (const lamports of [rig.tokenRentLamports, 8n * rig.tokenRentLamports, SIGNATURE_FEE_LAMPORTS, costLamports])
    expect(itemised).toContain(formatExactSol(lamports));
  expect(itemised).toContain("open missing USDC accounts");
  expect(rig.readLamports(rig.funder)).toBe(ONE_SOL);
  await fund();
  for (const collector of rig.collectors)
    expect(rig.readUsdc(collector)).toMatchObject({ mint, owner: collector, state: "initialized", amount: 0n });
  expect(rig.readLamports(rig.funder)).toBe(ONE_SOL - costLamports);
  rig.takePrinted();
  await fund();
  expect(rig.takePrinted()).toMatch(/^Nothing to send/);
  expect(rig.readLamports(rig.funder)).toBe(ONE_SOL - costLamports);
});

test("opens only what is missing and counts SOL that strangers sent to an account's address", async () => {
  for (const collector of rig.collectors) rig.setLamports(collector, EMPTY_RENT_LAMPORTS);
  for (const collector of rig.collectors.slice(2)) putTokens(rig.chain, collector, mint, 5n);
  rig.setLamports(deriveUsdcAccount(rig.collectors[0]!), rig.tokenRentLamports + 1n);
  rig.setLamports(deriveUsdcAccount(rig.collectors[1]!), EMPTY_RENT_LAMPORTS);
  await fund();
  const depositLamports = rig.tokenRentLamports - EMPTY_RENT_LAMPORTS;
  expect(rig.readLamports(rig.funder)).toBe(ONE_SOL - depositLamports - SIGNATURE_FEE_LAMPORTS);
  expect(rig.takePrinted()).toContain(formatExactSol(depositLamports));
  for (const collector of rig.collectors) expect(rig.readUsdc(collector)).toMatchObject({ owner: collector });
});

test("names the sum that the funder lacks for the deposits, and sends nothing", async () => {
  for (const collector of rig.collectors) rig.setLamports(collector, EMPTY_RENT_LAMPORTS);
  rig.setLamports(rig.funder, EMPTY_RENT_LAMPORTS + 1n);
  const lackingLamports = 8n * rig.tokenRentLamports + SIGNATURE_FEE_LAMPORTS - 1n;
  await expect(fund()).rejects.toThrow(`send it at least ${formatExactSol(lackingLamports)} SOL more.`);
  expect(rig.readUsdc(rig.collectors[0]!)).toBeNull();
  rig.setLamports(rig.funder, EMPTY_RENT_LAMPORTS + 1n + lackingLamports);
  await fund();
  expect(rig.readLamports(rig.funder)).toBe(EMPTY_RENT_LAMPORTS);
});

test("pays once if its first transaction expires", async () => {
  rig.faults.sendTransaction = () => null;
  await expect(fund()).rejects.toThrow("The funding is not confirmed (expired)");
  delete rig.faults.sendTransaction;
  await fund();
  expect(rig.readLamports(rig.funder)).toBe(
    ONE_SOL - topUpLamports - 8n * rig.tokenRentLamports - SIGNATURE_FEE_LAMPORTS,
  );
});

test("names an account that it cannot open and opens the others", async () => {
  putTokens(rig.chain, rig.collectors[3]!, mint, 5n, { isFrozen: true });
  await fund();
  const address = deriveUsdcAccount(rig.collectors[3]!);
  expect(rig.takePrinted()).toContain(`collector 3: its USDC account ${address} is blocked`);
  expect(rig.readUsdc(rig.collectors[4]!)).toMatchObject({ state: "initialized" });
  expect(rig.readUsdc(rig.collectors[3]!)).toMatchObject({ state: "frozen", amount: 5n });
});

test("status exits 3 and names each USDC account that is missing or blocked", async () => {
  await fund();
  rig.takePrinted();
  expect(await printStatus(rig.session, { isJson: false })).toBe(0);
  putTokens(rig.chain, rig.collectors[3]!, mint, 5n, { isFrozen: true });
  putTokens(rig.chain, rig.collectors[5]!, mint, 12_345_678n);
  rig.takePrinted();
  expect(await printStatus(rig.session, { isJson: false })).toBe(3);
  expect(rig.takePrinted()).toMatch(/3 .* blocked\n.*\n *5 .* 12\.345678\n/);
  expect(await printStatus(rig.session, { isJson: true })).toBe(3);
  const { collectors: entries, treasury: treasuryEntry } = JSON.parse(rig.takePrinted());
  expect(entries[3].usdc).toEqual({ account: deriveUsdcAccount(rig.collectors[3]!), state: "blocked", units: "0" });
  expect(entries[5].usdc).toMatchObject({ state: "open", units: "12345678" });
  expect(treasuryEntry.usdc).toEqual({ state: "missing", units: "0" });
});

test("pays the current priority fee", async () => {
  rig.faults.getRecentPrioritizationFees = () => [{ slot: 1, prioritizationFee: 250_000 }];
  await fundCollectors(
    { ...rig.session, priorityFee: { percentile: 50, maxLamports: 100_000n } },
    { shouldSend: true },
  );
  // 8 transfers and 2 compute-budget instructions ask for 150 units each, and 8 openings for 80,000, at 0.25 lamports.
  // The bound on the priority fee lowers the price.
  const paidLamports = ONE_SOL - rig.readLamports(rig.funder);
  const priorityFeeLamports = paidLamports - 8n * (2n * EMPTY_RENT_LAMPORTS + rig.tokenRentLamports) - 5_000n;
  expect(priorityFeeLamports).toBeGreaterThan(99_000n);
  expect(priorityFeeLamports).toBeLessThanOrEqual(100_000n);
  expect(rig.takePrinted()).toContain(formatExactSol(paidLamports));
});
