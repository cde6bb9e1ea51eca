import { VersionedTransaction } from "@solana/web3.js";
import { beforeEach, describe, expect, test } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
import { sweepCollectors } from "../../../lib/operator/sweep";
import { formatExactSol } from "../../../lib/operator/table";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { createOperatorRig } from "../../support/chain/operator-rig";
import { ONE_SOL, putAccount, putTokens } from "../../support/chain/sandbox-rig";
import { EMPTY_RENT_LAMPORTS } from "../../support/fixtures/rent";

const { mint } = ASSETS.USDC;
const SIGNATURE_FEE_LAMPORTS = 5_000n;

let rig: ReturnType<typeof createOperatorRig>;
beforeEach(() => {
  rig = createOperatorRig();
  rig.setLamports(rig.funder, ONE_SOL);
});
const sweep = (shouldSend = true) => sweepCollectors(rig.session, { shouldSend });
const countSent = () => rig.chain.countTransactions();

describe("of SOL", () => {
  test("moves nothing if it expires, and everything when it is run again", async () => {
    rig.setLamports(rig.collectors[2]!, 10_000_000n);
    rig.faults.sendTransaction = () => null;
    await expect(sweep()).rejects.toThrow("1 of 1 transfers are not confirmed; run it again.");
    expect(rig.readLamports(rig.collectors[2]!)).toBe(10_000_000n);
    delete rig.faults.sendTransaction;
    await sweep();
    expect(rig.readLamports(rig.collectors[2]!)).toBe(EMPTY_RENT_LAMPORTS);
    expect(rig.readLamports(rig.treasury)).toBe(10_000_000n - EMPTY_RENT_LAMPORTS - SIGNATURE_FEE_LAMPORTS);
  });

  test.each([
    [null, 0n],
    [0, 0n],
    [100_000, 45n],
    [10 ** 12, 112n],
  ])("at a recent unit price of %s pays a priority fee of %i lamports", async (unitPrice, priorityFeeLamports) => {
    rig.setLamports(rig.collectors[2]!, 10_000_000n);
    rig.faults.getRecentPrioritizationFees = () => unitPrice && [{ slot: 1, prioritizationFee: unitPrice }];
    const priorityFee = { percentile: 50, maxLamports: 112n };
    await sweepCollectors({ ...rig.session, priorityFee }, { shouldSend: true });
    expect(rig.readLamports(rig.collectors[2]!)).toBe(EMPTY_RENT_LAMPORTS);
    const costLamports = EMPTY_RENT_LAMPORTS + SIGNATURE_FEE_LAMPORTS + priorityFeeLamports;
    expect(rig.readLamports(rig.treasury)).toBe(10_000_000n - costLamports);
  });

  test("sends nothing if it is too small to open the treasury", async () => {
    for (const address of rig.collectors) rig.setLamports(address, EMPTY_RENT_LAMPORTS + 100_000n);
    const sentCount = countSent();
    await sweep();
    expect(countSent()).toBe(sentCount);
    expect(rig.takePrinted().match(/skipped: too little to open the treasury account/g)).toHaveLength(8);
  });

  test("sends nothing to an account that a program owns", async () => {
    rig.setLamports(rig.collectors[0]!, 10_000_000n);
    putAccount(rig.chain, rig.treasury, TOKEN_PROGRAM, new Uint8Array(165));
    const sentCount = countSent();
    await expect(sweep()).rejects.toThrow(`belongs to the program ${TOKEN_PROGRAM}`);
    expect(countSent()).toBe(sentCount);
  });

  test("is refused if the node answers without a rent minimum", async () => {
    rig.setLamports(rig.collectors[0]!, 10_000_000n);
    rig.faults.getMinimumBalanceForRentExemption = () => 0;
    await expect(sweep()).rejects.toThrow("did not say what the rent-exempt minimum is");
  });
});

describe("of USDC", () => {
  beforeEach(() => {
    for (const collector of rig.collectors) {
      rig.setLamports(collector, EMPTY_RENT_LAMPORTS);
      putTokens(rig.chain, collector, mint, 0n);
    }
    putTokens(rig.chain, rig.collectors[0]!, mint, 12_500_000n);
    putTokens(rig.chain, rig.collectors[1]!, mint, 99_999n);
    putTokens(rig.chain, rig.collectors[2]!, mint, 3_000_001n);
    rig.setLamports(rig.treasury, ONE_SOL);
  });
  const USDC_UNITS = 15_500_001n;
  /** The funder pays for two signatures in each of two transactions. */
  const feeLamports = 4n * SIGNATURE_FEE_LAMPORTS;

  test("sends all USDC to the treasury's new account at the funder's cost, and the accounts stay open", async () => {
    await sweep(false);
    const itemised = rig.takePrinted();
    for (const text of [
      "15.500001",
      "skipped: less than 0.100000 USDC",
      formatExactSol(feeLamports + rig.tokenRentLamports),
    ])
      expect(itemised).toContain(text);
    expect(itemised).toContain("Dry run, nothing was sent.");
    expect(rig.readUsdc(rig.treasury)).toBeNull();
    await sweep();
    expect(rig.takePrinted()).toContain("Swept 15.500001 USDC.");
    expect(rig.readUsdc(rig.treasury)).toMatchObject({ owner: rig.treasury, amount: USDC_UNITS });
    expect(rig.collectors.map((collector) => rig.readUsdc(collector)?.amount)).toEqual([
      0n,
      99_999n,
      ...Array(6).fill(0n),
    ]);
    for (const collector of rig.collectors) expect(rig.readLamports(collector)).toBe(EMPTY_RENT_LAMPORTS);
    expect(rig.readLamports(rig.funder)).toBe(ONE_SOL - feeLamports - rig.tokenRentLamports);
    rig.takePrinted();
    await sweep();
    expect(rig.takePrinted()).toContain("Nothing to send.");
    expect(rig.readLamports(rig.funder)).toBe(ONE_SOL - feeLamports - rig.tokenRentLamports);
  });

  test("sends again only what did not land", async () => {
    rig.faults.sendTransaction = ([base64]) => {
      const { message } = VersionedTransaction.deserialize(Buffer.from(String(base64), "base64"));
      return message.staticAccountKeys.some((key) => key.toBase58() === rig.collectors[0]) ? null : undefined;
    };
    await expect(sweep()).rejects.toThrow("1 of 2 transfers are not confirmed; run it again.");
    expect(rig.takePrinted()).toContain("Swept 3.000001 USDC.");
    expect(rig.readUsdc(rig.treasury)?.amount).toBe(3_000_001n);
    delete rig.faults.sendTransaction;
    await sweep();
    expect(rig.takePrinted()).toContain("Swept 12.500000 USDC.");
    expect(rig.readUsdc(rig.treasury)?.amount).toBe(USDC_UNITS);
    expect(rig.readLamports(rig.funder)).toBe(ONE_SOL - feeLamports - rig.tokenRentLamports);
  });

  test("sweeps the SOL and names the missing sum if the funder cannot pay for the USDC", async () => {
    rig.setLamports(rig.collectors[6]!, ONE_SOL);
    rig.setLamports(rig.funder, 0n);
    const neededLamports = feeLamports + rig.tokenRentLamports + EMPTY_RENT_LAMPORTS;
    const message = `send it at least ${formatExactSol(neededLamports)} SOL more to sweep the USDC.`;
    await expect(sweep(false)).rejects.toThrow(message);
    expect(rig.readLamports(rig.collectors[6]!)).toBe(ONE_SOL);
    await expect(sweep()).rejects.toThrow(message);
    expect(rig.readLamports(rig.collectors[6]!)).toBe(EMPTY_RENT_LAMPORTS);
    expect(rig.readUsdc(rig.treasury)).toBeNull();
    rig.setLamports(rig.funder, neededLamports);
    await sweep();
    expect(rig.readUsdc(rig.treasury)?.amount).toBe(USDC_UNITS);
    expect(rig.readLamports(rig.funder)).toBe(EMPTY_RENT_LAMPORTS);
  });

  test.each([
    ["frozen", () => putTokens(rig.chain, rig.treasury, mint, 7n, { isFrozen: true })],
    [
      "another wallet's",
      () => putTokens(rig.chain, rig.funder, mint, 7n, { address: deriveUsdcAccount(rig.treasury) }),
    ],
  ])("sends no USDC to an account of the treasury that is %s", async (_state, block) => {
    block();
    rig.setLamports(rig.collectors[6]!, ONE_SOL);
    const address = deriveUsdcAccount(rig.treasury);
    await expect(sweep()).rejects.toThrow(
      `The treasury's USDC account ${address} cannot take USDC, so no USDC is swept.`,
    );
    expect(rig.readUsdc(rig.collectors[0]!)?.amount).toBe(12_500_000n);
    expect(rig.readUsdc(rig.treasury)?.amount).toBe(7n);
    expect(rig.readLamports(rig.collectors[6]!)).toBe(EMPTY_RENT_LAMPORTS);
  });

  test("names a collector whose account is frozen and sweeps the others", async () => {
    putTokens(rig.chain, rig.collectors[0]!, mint, 12_500_000n, { isFrozen: true });
    await sweep();
    expect(rig.takePrinted()).toContain("skipped: its account is blocked");
    expect(rig.readUsdc(rig.treasury)?.amount).toBe(3_000_001n);
  });
});
