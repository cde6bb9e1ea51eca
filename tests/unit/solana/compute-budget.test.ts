import { ComputeBudgetInstruction, ComputeBudgetProgram, PublicKey, TransactionInstruction } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import {
  buildSetComputeUnitLimit,
  capComputeUnitPrice,
  MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS,
} from "../../../lib/solana/compute-budget";

const encodePrice = (microLamports: bigint) =>
  ComputeBudgetProgram.setComputeUnitPrice({ microLamports }).data.toString("base64");

const readCappedPrice = (microLamports: bigint) => {
  const data = Buffer.from(capComputeUnitPrice(encodePrice(microLamports))!, "base64");
  const instruction = new TransactionInstruction({ programId: ComputeBudgetProgram.programId, keys: [], data });
  return BigInt(ComputeBudgetInstruction.decodeSetComputeUnitPrice(instruction).microLamports);
};

describe("capComputeUnitPrice", () => {
  test("never lets the priority fee of 400,000 units exceed 100,000 lamports", () => {
    expect((MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS * 400_000n) / 1_000_000n).toBe(100_000n);
  });

  test.each([0n, 1n, 249_999n, 250_000n])("keeps a unit price of %s micro-lamports", (microLamports) => {
    expect(capComputeUnitPrice(encodePrice(microLamports))).toBe(encodePrice(microLamports));
  });

  test.each([250_001n, 1n << 32n, 1n << 63n, (1n << 64n) - 1n])(
    "caps a unit price of %s micro-lamports",
    (microLamports) => {
      expect(readCappedPrice(microLamports)).toBe(MAX_COMPUTE_UNIT_PRICE_MICRO_LAMPORTS);
    },
  );

  test.each([
    ["a unit limit", ComputeBudgetProgram.setComputeUnitLimit({ units: 5 }).data.toString("base64")],
    ["a heap request", ComputeBudgetProgram.requestHeapFrame({ bytes: 32_768 }).data.toString("base64")],
    ["a price with a byte too many", Buffer.from([3, 1, 0, 0, 0, 0, 0, 0, 0, 0]).toString("base64")],
    ["a price with a byte too few", Buffer.from([3, 1, 0, 0, 0, 0, 0, 0]).toString("base64")],
    ["empty data", ""],
    ["data that is not base64", "§§§"],
  ])("returns null for %s", (_what, data) => {
    expect(capComputeUnitPrice(data)).toBeNull();
  });
});

describe("buildSetComputeUnitLimit", () => {
  test.each([1, 60_000, 1_400_000])("encodes %i units byte for byte like web3.js", (units) => {
    const expected = ComputeBudgetProgram.setComputeUnitLimit({ units });
    const { programId, accounts, data } = buildSetComputeUnitLimit(units);
    expect(new PublicKey(programId).equals(expected.programId)).toBe(true);
    expect(accounts).toEqual([]);
    expect(data).toBe(expected.data.toString("base64"));
  });

  test.each([0, -1, 1.5, 1_400_001, Number.NaN])("throws RangeError for %s units", (units) => {
    expect(() => buildSetComputeUnitLimit(units)).toThrow(RangeError);
  });
});
