import { Keypair } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { signTransfers } from "../../../lib/operator/chain";
import { deriveCollectors, deriveFunder } from "../../../lib/operator/collectors";
import { fundCollectors, sweepCollectors } from "../../../lib/operator/commands";
import { sendAndConfirm } from "../../../lib/operator/send";
import { formatExactSol } from "../../../lib/operator/table";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { FakeChain, FEE_LAMPORTS, RENT_MINIMUM_LAMPORTS } from "../../support/chain/operator-chain";
import { createSleepClock } from "../../support/fakes/manual-clock";

const SEED = new Uint8Array(32).fill(9);
const collectors = deriveCollectors(SEED).map(({ publicKey }) => publicKey.toBase58());
const treasuryKey = Keypair.generate().publicKey;
const treasury = treasuryKey.toBase58();

function createSession() {
  const clock = createSleepClock(0);
  const chain = new FakeChain(clock);
  const printedTexts: string[] = [];
  const print = (text: string) => printedTexts.push(text);
  const session = { chain: chain.asChain(), operatorFile: { seed: SEED, treasury: treasuryKey }, clock, print };
  return { clock, chain, session, printedTexts };
}

const SEND_OPTIONS = { shouldSend: true };

describe("sendAndConfirm", () => {
  async function sendWithFaults(faults: Partial<FakeChain>) {
    const { chain, session, clock } = createSession();
    const recipients = [{ to: treasuryKey, lamports: 1n }];
    const signedTransfers = await signTransfers(session.chain, Keypair.generate(), recipients);
    Object.assign(chain, faults);
    const outcome = await sendAndConfirm(session.chain, signedTransfers, clock);
    return { outcome, sentTransactions: chain.sentTransactions, elapsedMs: clock.now() };
  }

  test("reports a transaction as expired once its own blockhash has expired, not earlier", async () => {
    const { outcome, elapsedMs } = await sendWithFaults({ sendsToLose: Number.POSITIVE_INFINITY });
    expect(outcome.state).toBe("expired");
    // The margin of 32 blocks makes the expiry certain.
    expect(elapsedMs).toBeGreaterThan((150 + 32) * 400);
    expect(elapsedMs).toBeLessThan(80_000);
  });

  test("reports a transaction as landed if only the node's history knows it", async () => {
    expect((await sendWithFaults({ isOnlyInHistory: true })).outcome.state).toBe("landed");
  });

  test("reports an unknown outcome after a bounded time if the node stops answering", async () => {
    const { outcome, elapsedMs } = await sendWithFaults({ isSilent: true });
    expect(outcome.state).toBe("unknown");
    expect(elapsedMs).toBeLessThan(155_000);
  });

  test("does not send a transaction that the simulation refuses", async () => {
    const simulationError = { InsufficientFundsForRent: { account_index: 0 } };
    const { outcome, sentTransactions } = await sendWithFaults({ simulationError });
    expect(outcome).toEqual({ state: "refused", error: JSON.stringify(simulationError) });
    expect(sentTransactions).toEqual([]);
  });

  test("reports a failure on the chain with the runtime's error", async () => {
    const chainError = { InstructionError: [0, { Custom: 1 }] };
    const { outcome } = await sendWithFaults({ chainError });
    expect(outcome).toMatchObject({ state: "failed", error: JSON.stringify(chainError) });
  });
});

describe("an operator command", () => {
  test("moves nothing if a sweep expires", async () => {
    const { chain, session } = createSession();
    chain.lamportsByAddress.set(collectors[2]!, 10_000_000);
    chain.sendsToLose = Number.POSITIVE_INFINITY;
    await expect(sweepCollectors(session, SEND_OPTIONS)).rejects.toThrow(
      "1 of 1 transfers are not confirmed; run it again.",
    );
    expect(chain.lamportsByAddress.get(collectors[2]!)).toBe(10_000_000);
    chain.sendsToLose = 0;
    await sweepCollectors(session, SEND_OPTIONS);
    expect(chain.lamportsByAddress.get(collectors[2]!)).toBe(RENT_MINIMUM_LAMPORTS);
    expect(chain.lamportsByAddress.get(treasury)).toBe(10_000_000 - RENT_MINIMUM_LAMPORTS - FEE_LAMPORTS);
  });

  test.each([
    [null, 0],
    [0, 0],
    [100_000, 45],
    [10 ** 12, 112],
  ])(
    "sweeps at a recent unit price of %s with a priority fee of %i lamports",
    async (unitPrice, priorityFeeLamports) => {
      const { chain, session } = createSession();
      chain.lamportsByAddress.set(collectors[2]!, 10_000_000);
      chain.unitPriceMicroLamports = unitPrice;
      await sweepCollectors({ ...session, priorityFee: { percentile: 50, maxLamports: 112n } }, SEND_OPTIONS);
      expect(chain.lamportsByAddress.get(collectors[2]!)).toBe(RENT_MINIMUM_LAMPORTS);
      expect(chain.lamportsByAddress.get(treasury)).toBe(
        10_000_000 - RENT_MINIMUM_LAMPORTS - FEE_LAMPORTS - priorityFeeLamports,
      );
    },
  );

  test("funds the collectors at the current priority fee", async () => {
    const { chain, session, printedTexts } = createSession();
    const funder = deriveFunder(SEED).publicKey.toBase58();
    chain.lamportsByAddress.set(funder, 1_000_000_000);
    chain.unitPriceMicroLamports = 250_000;
    await fundCollectors({ ...session, priorityFee: { percentile: 50, maxLamports: 100_000n } }, SEND_OPTIONS);
    // 8 transfers and 2 compute-budget instructions, 150 units each, at a quarter of a lamport.
    const costLamports = 8 * 2 * RENT_MINIMUM_LAMPORTS + FEE_LAMPORTS + 375;
    expect(1_000_000_000 - chain.lamportsByAddress.get(funder)!).toBe(costLamports);
    expect(printedTexts.join("\n")).toContain(formatExactSol(BigInt(costLamports)));
  });

  test("sends nothing if a sweep is too small to open the treasury", async () => {
    const { chain, session, printedTexts } = createSession();
    for (const address of collectors) chain.lamportsByAddress.set(address, RENT_MINIMUM_LAMPORTS + 100_000);
    await sweepCollectors(session, SEND_OPTIONS);
    expect(chain.sentTransactions).toEqual([]);
    expect(printedTexts.join("\n").match(/skipped: too little to open the treasury account/g)).toHaveLength(8);
  });

  test("sweeps nothing to an account that a program owns", async () => {
    const { chain, session } = createSession();
    chain.lamportsByAddress.set(collectors[0]!, 10_000_000).set(treasury, 2_039_280);
    chain.ownerByAddress.set(treasury, TOKEN_PROGRAM);
    await expect(sweepCollectors(session, SEND_OPTIONS)).rejects.toThrow(`belongs to the program ${TOKEN_PROGRAM}`);
    expect(chain.sentTransactions).toEqual([]);
  });

  test("refuses an answer without a rent minimum", async () => {
    const { chain, session } = createSession();
    chain.lamportsByAddress.set(collectors[0]!, 10_000_000);
    chain.rentMinimumLamports = 0;
    await expect(sweepCollectors(session, SEND_OPTIONS)).rejects.toThrow("did not say what the rent-exempt minimum is");
  });
});
