import { ComputeBudgetProgram } from "@solana/web3.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import {
  addDraftBudget,
  buildBudgetInstructions,
  chooseBudget,
  computeMaxUnits,
  describeShape,
  NO_PRIORITY_FEE,
  toDecoded,
} from "../../../lib/solana/budget";
import { toBase64 } from "../../../lib/solana/bytes";
import { capComputeUnitPrice, MAX_PRIORITY_FEE_LAMPORTS } from "../../../lib/solana/compute-budget";
import { computePriorityFee } from "../../../lib/solana/fees";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { buildMemo } from "../../../lib/solana/memo";
import { TOKEN_2022_PROGRAM } from "../../../lib/solana/programs";
import { readTransaction } from "../../../lib/solana/read-transaction";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { buildCreateAssociatedTokenAccount, buildTransferChecked } from "../../../lib/solana/token-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { buildSignedBytes, fundKeypair, ONE_SOL, openStoppedChain, toWeb3 } from "../../support/chain/sandbox-rig";
import { createBlockhash } from "../../support/fakes/fake-deps";
import { computeFlatFee, FLAT_FEE_LAMPORTS } from "../../support/fixtures/flat-fee";
import { toTestWallet } from "../../support/fixtures/test-wallets";

const [PAYER, OTHER] = ["payer", "other"].map((name) => toTestWallet(name).address) as [string, string];

describe("a budget", () => {
  const anyInstruction = fc.constantFrom(buildSystemTransfer(PAYER, OTHER, 1n), buildMemo("note", PAYER));
  const anyInstructions = fc.array(anyInstruction, { minLength: 1, maxLength: 8 });

  test("asks for what a simulation used and a margin, never for more than its instructions may ask for", () => {
    const property = fc.property(anyInstructions, fc.integer({ min: 0, max: 1_400_000 }), (list, usedUnits) => {
      const { unitLimit } = chooseBudget(list, NO_PRIORITY_FEE, usedUnits);
      const maxUnits = computeMaxUnits(list.map(({ programId }) => programId));
      expect(unitLimit).toBe(Math.min(maxUnits, Math.ceil(usedUnits * 1.2 - 1e-6) + 200));
      expect(chooseBudget(list, NO_PRIORITY_FEE).unitLimit).toBe(maxUnits);
    });
    fc.assert(property);
  });

  test("keeps the priority fee within its cap, and the bytes bound what the network charges", () => {
    const anyPriority = fc.record({
      unitPrice: fc.bigInt({ min: 0n, max: 10n ** 12n }),
      maxLamports: fc.bigInt({ min: 0n, max: MAX_PRIORITY_FEE_LAMPORTS }),
    });
    const property = fc.property(anyInstructions, anyPriority, (list, { unitPrice, maxLamports }) => {
      const budget = chooseBudget(list, { unitPrice, maxLamports });
      const instructions = [...buildBudgetInstructions(budget), ...list];
      const { bytes, message } = composeTransaction({ payer: PAYER, instructions, blockhash: createBlockhash(1) });
      const { priorityFeeLamports, highestFeeLamports, unitLimit } = readTransaction(toBase64(bytes));
      expect(budget.unitPrice <= unitPrice).toBe(true);
      expect(unitLimit).toBe(budget.unitLimit);
      expect(priorityFeeLamports <= maxLamports).toBe(true);
      expect(computeFlatFee(message) <= highestFeeLamports).toBe(true);
    });
    fc.assert(property);
  });
});

describe("a shape", () => {
  const toShape = (...list: InstructionLike[]) => describeShape(list.map(toDecoded));

  test("is the same for two wallets that save with marks of one size", () => {
    const list = (wallet: string, mark: string) => [
      buildSystemTransfer(wallet, OTHER, 1n),
      buildMemo(`roundup:1:through:${mark}`, wallet),
    ];
    expect(toShape(...list(PAYER, "5".repeat(88)))).toBe(toShape(...list(OTHER, "3".repeat(87))));
    expect(toShape(...list(PAYER, "5".repeat(88)))).not.toBe(toShape(...list(OTHER, "5".repeat(8))));
  });

  test("names the steps in which an associated account is derived, and the mint of Token-2022", () => {
    const owners = Array.from({ length: 40 }, (_, i) => toTestWallet(`owner ${i}`).address);
    const shapes = new Set(
      owners.map((owner) => toShape(buildCreateAssociatedTokenAccount({ payer: PAYER, owner, mint: ASSETS.BTC.mint }))),
    );
    expect(shapes.size).toBeGreaterThan(2);
    const transfer = {
      source: PAYER,
      destination: OTHER,
      authority: PAYER,
      mint: ASSETS.BTC.mint,
      amount: 1n,
      decimals: 8,
    };
    expect(toShape(buildTransferChecked(transfer))).toBe(toShape(buildTransferChecked({ ...transfer, mint: OTHER })));
    const [first, second] = [transfer, { ...transfer, mint: OTHER }].map((token) =>
      toShape(buildTransferChecked(token, TOKEN_2022_PROGRAM)),
    );
    expect(first).not.toBe(second);
  });
});

test("a marked saving with a measured budget lands on the runtime for exactly the node's fee", () => {
  const { chain } = openStoppedChain();
  const payer = fundKeypair(chain);
  const wallet = payer.publicKey.toBase58();
  const list = [buildSystemTransfer(wallet, OTHER, ONE_SOL), buildMemo(`roundup:1:through:${"5".repeat(88)}`, wallet)];
  const draft = buildSignedBytes(chain, payer, ...addDraftBudget(list).map(toWeb3));
  const { unitsConsumed } = chain.simulate(draft, { sigVerify: false, replaceRecentBlockhash: true });
  const priority = { unitPrice: 10n ** 9n, maxLamports: MAX_PRIORITY_FEE_LAMPORTS };
  const budget = chooseBudget(list, priority, unitsConsumed);
  expect(budget.unitLimit).toBeLessThan(100_600 / 20);
  chain.send(buildSignedBytes(chain, payer, ...[...buildBudgetInstructions(budget), ...list].map(toWeb3)));
  const feeLamports = FLAT_FEE_LAMPORTS + computePriorityFee(budget.unitLimit, budget.unitPrice);
  expect(chain.getAccount(wallet)!.lamports).toBe(9n * ONE_SOL - feeLamports);
});

describe("capComputeUnitPrice", () => {
  const encodePrice = (microLamports: bigint) =>
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports }).data.toString("base64");

  test.each([0n, 1n, 249_999n, 250_000n])("keeps a unit price of %s micro-lamports", (microLamports) => {
    expect(capComputeUnitPrice(encodePrice(microLamports))).toBe(encodePrice(microLamports));
  });

  test.each([250_001n, 1n << 32n, 1n << 63n, (1n << 64n) - 1n])("caps a unit price of %s micro-lamports", (price) => {
    expect(capComputeUnitPrice(encodePrice(price))).toBe(encodePrice(250_000n));
  });

  test("caps a unit price with a byte too many, which the runtime accepts", () => {
    const longPrice = Buffer.concat([Buffer.from(encodePrice(250_001n), "base64"), Buffer.of(0)]);
    expect(capComputeUnitPrice(longPrice.toString("base64"))).toBe(encodePrice(250_000n));
  });

  test.each([
    ["a unit limit", ComputeBudgetProgram.setComputeUnitLimit({ units: 5 }).data.toString("base64")],
    ["a heap request", ComputeBudgetProgram.requestHeapFrame({ bytes: 32_768 }).data.toString("base64")],
    ["a price with a byte too few", Buffer.from([3, 1, 0, 0, 0, 0, 0, 0]).toString("base64")],
    ["empty data", ""],
    ["data that is not base64", "§§§"],
  ])("returns null for %s", (_caseName, data) => {
    expect(capComputeUnitPrice(data)).toBeNull();
  });
});
