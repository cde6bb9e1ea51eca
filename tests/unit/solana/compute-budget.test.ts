import { ComputeBudgetProgram } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { capComputeUnitPrice } from "../../../lib/solana/compute-budget";

const encodePrice = (microLamports: bigint) =>
  ComputeBudgetProgram.setComputeUnitPrice({ microLamports }).data.toString("base64");

describe("capComputeUnitPrice", () => {
  test.each([0n, 1n, 249_999n, 250_000n])("keeps a unit price of %s micro-lamports", (microLamports) => {
    expect(capComputeUnitPrice(encodePrice(microLamports))).toBe(encodePrice(microLamports));
  });

  test.each([250_001n, 1n << 32n, 1n << 63n, (1n << 64n) - 1n])("caps a unit price of %s micro-lamports", (price) => {
    expect(capComputeUnitPrice(encodePrice(price))).toBe(encodePrice(250_000n));
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
