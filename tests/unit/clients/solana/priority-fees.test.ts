import { expect, test } from "vitest";
import { createPriorityFees } from "../../../../lib/clients/solana/priority-fees";
import { createManualClock } from "../../../support/fakes/manual-clock";

function createTestFees(readRecentPrices: () => Promise<bigint[]>, percentile = 50) {
  const clock = createManualClock();
  const requestedAccounts: string[][] = [];
  const readUnitPrices = (accounts: string[]) => {
    requestedAccounts.push(accounts);
    return readRecentPrices();
  };
  return { ...createPriorityFees({ rpc: { readUnitPrices }, percentile, clock }), clock, requestedAccounts };
}

test("the fee reader waits only once, for one second, for a node that hangs", async () => {
  const { readUnitPrice, requestedAccounts, clock } = createTestFees(() => new Promise(() => {}));
  const firstRead = readUnitPrice(["a"]);
  await clock.advance(1_000);
  expect([await firstRead, await readUnitPrice(["a"])]).toEqual([0n, 0n]);
  expect(requestedAccounts).toHaveLength(1);
});
