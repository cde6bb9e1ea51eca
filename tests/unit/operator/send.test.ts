import { Keypair } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { signTransfers } from "../../../lib/operator/chain";
import { deriveCollectors, deriveFunder } from "../../../lib/operator/collectors";
import { fundCollectors, printStatus, sweepCollectors } from "../../../lib/operator/commands";
import { sendAndConfirm } from "../../../lib/operator/send";
import { formatSol } from "../../../lib/operator/table";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { createFakeTimer, FakeChain, FEE_LAMPORTS, RENT_MINIMUM_LAMPORTS } from "../../support/chain/operator-chain";

function world() {
  const timer = createFakeTimer();
  const chain = new FakeChain(timer);
  const seed = new Uint8Array(32).fill(9);
  const treasury = Keypair.generate().publicKey;
  const printed: string[] = [];
  const session = {
    chain: chain.asChain(),
    operatorFile: { seed, treasury },
    timer,
    print: (text: string) => printed.push(text),
  };
  const collectors = deriveCollectors(seed).map(({ publicKey }) => publicKey.toBase58());
  return { timer, chain, session, printed, collectors, treasury: treasury.toBase58(), seed };
}

describe("sendAndConfirm", () => {
  async function send(prepare: (chain: FakeChain) => void) {
    const { chain, session, timer } = world();
    const payer = Keypair.generate();
    const signedTransfers = await signTransfers(session.chain, payer, [
      { to: session.operatorFile.treasury, lamports: 1n },
    ]);
    prepare(chain);
    return { outcome: await sendAndConfirm(session.chain, signedTransfers, timer), chain, timer };
  }

  test("resends the same bytes when a transaction was lost", async () => {
    const { outcome, chain } = await send((chain) => {
      chain.loseSends = 3;
    });
    expect(outcome.state).toBe("landed");
    expect(chain.sentTransactions).toHaveLength(4);
    expect(new Set(chain.sentTransactions).size).toBe(1);
  });

  test("reports expired once the transaction's own blockhash has expired, not earlier", async () => {
    const { outcome, timer } = await send((chain) => {
      chain.loseSends = Number.POSITIVE_INFINITY;
    });
    expect(outcome.state).toBe("expired");
    // The margin of 32 blocks makes the expiry certain.
    expect(timer.slept).toBeGreaterThan((150 + 32) * 400);
    expect(timer.slept).toBeLessThan(80_000);
  });

  test("reports confirmed when only the history knows the transaction", async () => {
    const { outcome } = await send((chain) => {
      chain.isOnlyInHistory = true;
    });
    expect(outcome.state).toBe("landed");
  });

  test("reports unknown after a bounded time when the node stops answering", async () => {
    const { outcome, timer } = await send((chain) => {
      chain.isSilent = true;
    });
    expect(outcome.state).toBe("unknown");
    expect(timer.slept).toBeLessThan(155_000);
  });

  test("does not send a transaction that the simulation refuses", async () => {
    const { outcome, chain } = await send((chain) => {
      chain.simulationError = { InsufficientFundsForRent: { account_index: 0 } };
    });
    expect(outcome).toEqual({ state: "refused", error: '{"InsufficientFundsForRent":{"account_index":0}}' });
    expect(chain.sentTransactions).toEqual([]);
  });

  test("reports a failure on the chain with the runtime's error", async () => {
    const { outcome } = await send((chain) => {
      chain.chainError = { InstructionError: [0, { Custom: 1 }] };
    });
    expect(outcome).toMatchObject({ state: "failed", error: '{"InstructionError":[0,{"Custom":1}]}' });
  });
});

describe("a command", () => {
  test("moves nothing when a sweep expires", async () => {
    const { chain, session, collectors, treasury } = world();
    chain.balances.set(collectors[2]!, 10_000_000);
    chain.loseSends = Number.POSITIVE_INFINITY;
    await expect(sweepCollectors(session, true)).rejects.toThrow("1 of 1 transfers are not confirmed; run it again.");
    expect(chain.balances.get(collectors[2]!)).toBe(10_000_000);
    chain.loseSends = 0;
    await sweepCollectors(session, true);
    expect(chain.balances.get(collectors[2]!)).toBe(RENT_MINIMUM_LAMPORTS);
    expect(chain.balances.get(treasury)).toBe(10_000_000 - RENT_MINIMUM_LAMPORTS - FEE_LAMPORTS);
  });

  test.each([
    [null, 0],
    [0, 0],
    [100_000, 45],
    [10 ** 12, 112],
  ])("sweeps at a recent unit price of %s with a priority fee of %i lamports", async (price, priority) => {
    const { chain, session, collectors, treasury } = world();
    chain.balances.set(collectors[2]!, 10_000_000);
    chain.unitPrice = price;
    await sweepCollectors({ ...session, priorityFee: { percentile: 50, maxLamports: 112n } }, true);
    expect(chain.balances.get(collectors[2]!)).toBe(RENT_MINIMUM_LAMPORTS);
    expect(chain.balances.get(treasury)).toBe(10_000_000 - RENT_MINIMUM_LAMPORTS - FEE_LAMPORTS - priority);
  });

  test("offers the current priority fee when funding", async () => {
    const { chain, session, seed, printed } = world();
    const funder = deriveFunder(seed).publicKey.toBase58();
    chain.balances.set(funder, 1_000_000_000);
    chain.unitPrice = 250_000;
    const priced = { ...session, priorityFee: { percentile: 50, maxLamports: 100_000n } };
    await fundCollectors(priced, true);
    // 8 transfers and 2 compute-budget instructions, 150 units each, at a quarter of a lamport.
    const cost = 8 * 2 * RENT_MINIMUM_LAMPORTS + FEE_LAMPORTS + 375;
    expect(1_000_000_000 - chain.balances.get(funder)!).toBe(cost);
    expect(printed.join("\n")).toContain(formatSol(BigInt(cost)));
  });

  test("sends nothing when a sweep is too small to open the treasury", async () => {
    const { chain, session, collectors, printed } = world();
    for (const address of collectors) chain.balances.set(address, RENT_MINIMUM_LAMPORTS + 100_000);
    await sweepCollectors(session, true);
    expect(chain.sentTransactions).toEqual([]);
    expect(printed.join("\n").match(/skipped: too little to open the treasury account/g)).toHaveLength(8);
  });

  test("sweeps nothing to an account that a program owns", async () => {
    const { chain, session, collectors, treasury } = world();
    chain.balances.set(collectors[0]!, 10_000_000).set(treasury, 2_039_280);
    chain.owners.set(treasury, TOKEN_PROGRAM);
    await expect(sweepCollectors(session, true)).rejects.toThrow(`belongs to the program ${TOKEN_PROGRAM}`);
    expect(chain.sentTransactions).toEqual([]);
  });

  test("refuses an answer without a rent minimum", async () => {
    const { chain, session, collectors } = world();
    chain.balances.set(collectors[0]!, 10_000_000);
    chain.rentMinimum = 0;
    await expect(sweepCollectors(session, true)).rejects.toThrow("did not say what the rent-exempt minimum is");
  });

  test("aligns the table's columns and sums them exactly", async () => {
    const { chain, session, collectors, printed } = world();
    chain.balances.set(collectors[0]!, 12_345_678_901).set(collectors[1]!, 1);
    await printStatus(session, false);
    const table = printed[1]!.split("\n");
    expect(table[0]).toMatch(/^#\s+account\s+SOL\s+surplus SOL$/);
    expect(table[2]).toMatch(/12\.345678901 +12\.345028661$/);
    expect(table.find((line) => line.includes("all collectors"))).toMatch(/12\.345678902 +12\.345028661$/);
    const ends = new Set(table.slice(2, 11).map((line) => line.length));
    expect(ends.size).toBe(1);
  });
});
