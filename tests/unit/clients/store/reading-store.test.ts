import { expect, test } from "vitest";
import { createReadingStore } from "../../../../lib/clients/store/reading-store";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { createMemoryStore } from "../../../support/store/memory-store";

const MAINNET = { network: "mainnet-beta", source: "api.jup.ag" };

test.each([
  ["another network", { ...MAINNET, network: "sandbox" }],
  ["another source", { ...MAINNET, source: "127.0.0.1:8899" }],
])("a reading of %s never counts", async (_caseName, origin) => {
  const store = createMemoryStore(createManualClock());
  const [own, other] = [createReadingStore(store, MAINNET), createReadingStore(store, origin)];
  await other.set("price", 19);
  expect([await own.get("price"), await own.getMany(["price"]), await own.delete("price")]).toEqual([
    null,
    [null],
    false,
  ]);
  expect(await own.replace("price", 19, 20)).toBe(false);
  expect(await own.setIfAbsent("price", 200)).toBe(true);
  expect([await own.get("price"), await other.get("price")]).toEqual([200, 19]);
});
