import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toBase64 } from "../../../lib/solana/bytes";
import { MAX_PRIORITY_FEE_LAMPORTS } from "../../../lib/solana/compute-budget";
import { BASE_FEE_LAMPORTS } from "../../../lib/solana/fees";
import { buildMemo } from "../../../lib/solana/memo";
import {
  buildBudgetInstructions,
  chooseComputeBudget,
  findPercentile,
  NO_PRIORITY_FEE,
} from "../../../lib/solana/priority";
import { readTransaction } from "../../../lib/solana/read-transaction";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { buildSignedBytes, fundKeypair, ONE_SOL, openStoppedChain, toWeb3 } from "../../support/chain/sandbox-rig";
import { createBlockhash } from "../../support/fakes/fake-deps";
import { toTestWallet } from "../../support/fixtures/test-wallets";

const [PAYER, OTHER] = ["payer", "other"].map((name) => toTestWallet(name).address) as [string, string];

describe("findPercentile", () => {
  test.each([
    [0, 1n],
    [25, 1n],
    [26, 2n],
    [50, 2n],
    [75, 3n],
    [100, 9n],
  ])("returns percentile %i of 9, 1, 3 and 2 as %s", (percent, price) => {
    expect(findPercentile([9n, 1n, 3n, 2n], percent)).toBe(price);
  });

  test("returns 0 for an empty list", () => expect(findPercentile([], 50)).toBe(0n));
});

describe("a budget", () => {
  test("has the network fee that a reader of the bytes computes, within the configured cap", () => {
    const anyInstruction = fc.constantFrom(buildSystemTransfer(PAYER, OTHER, 1n), buildMemo("note", PAYER));
    const anyInstructions = fc.array(anyInstruction, { maxLength: 8 });
    const anyPriority = fc.record({
      unitPrice: fc.bigInt({ min: 1n, max: 10n ** 12n }),
      maxLamports: fc.bigInt({ min: 0n, max: MAX_PRIORITY_FEE_LAMPORTS }),
    });
    const property = fc.property(anyInstructions, anyPriority, (list, { unitPrice, maxLamports }) => {
      const budget = chooseComputeBudget(list, { unitPrice, maxLamports });
      const instructions = [...buildBudgetInstructions(budget), ...list];
      const { bytes } = composeTransaction({ payer: PAYER, instructions, blockhash: createBlockhash(1) });
      if (budget.unitPrice > 0n)
        expect(readTransaction(toBase64(bytes)).networkFeeLamports).toBe(budget.networkFeeLamports);
      expect(budget.unitPrice <= unitPrice).toBe(true);
      expect(budget.networkFeeLamports <= BASE_FEE_LAMPORTS + maxLamports).toBe(true);
    });
    fc.assert(property);
  });

  test("without a unit price adds no instruction", () => {
    const budget = chooseComputeBudget([buildSystemTransfer(PAYER, OTHER, 1n)], NO_PRIORITY_FEE);
    expect([buildBudgetInstructions(budget), budget.networkFeeLamports]).toEqual([[], 5_000n]);
  });
});

test("a wrap with a memo and a budget lands on the runtime for exactly the computed fee", () => {
  const { chain } = openStoppedChain();
  const payer = fundKeypair(chain);
  const wallet = payer.publicKey.toBase58();
  const list = [buildSystemTransfer(wallet, OTHER, ONE_SOL), buildMemo(`roundup:1:through:${"5".repeat(88)}`, wallet)];
  const budget = chooseComputeBudget(list, { unitPrice: 10n ** 9n, maxLamports: MAX_PRIORITY_FEE_LAMPORTS });
  chain.send(buildSignedBytes(chain, payer, ...[...buildBudgetInstructions(budget), ...list].map(toWeb3)));
  expect(chain.getAccount(wallet)!.lamports).toBe(9n * ONE_SOL - budget.networkFeeLamports);
});
