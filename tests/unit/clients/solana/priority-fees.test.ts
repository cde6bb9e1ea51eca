import { expect, test } from "vitest";
import { createPriorityFees } from "../../../../lib/clients/solana/priority-fees";
import { createManualClock } from "../../../support/fakes/manual-clock";

test("the fee reader waits only once, for one second, for a node that hangs", async () => {
  const clock = createManualClock();
  let requestCount = 0;
  const readUnitPrices = () => new Promise<never>(() => requestCount++);
  const { readUnitPrice } = createPriorityFees({ rpc: { readUnitPrices }, percentile: 50, clock });
  const firstRead = readUnitPrice(["a"]);
  await clock.advance(1_000);
  expect([await firstRead, await readUnitPrice(["a"])]).toEqual([0n, 0n]);
  expect(requestCount).toBe(1);
});
