import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createKeyUsageCounter } from "../../../lib/clients/process/key-usage";
import { openLmdbStore } from "../../../lib/clients/store/kv-lmdb";
import { STORE_KEYS } from "../../../lib/domain/store-keys";
import { AppError } from "../../../lib/errors";
import { printKeyUsage } from "../../../lib/operator/key-usage";
import { createManualClock } from "../../support/fakes/manual-clock";
import { createFolderForTest } from "../../support/store/temp-folder";

const MIDNIGHT = Date.UTC(2026, 10, 23);

function openStore() {
  const path = join(createFolderForTest(), "store");
  const clock = createManualClock(MIDNIGHT - 1);
  const kv = openLmdbStore({ path, clock });
  onTestFinished(() => kv.close());
  const readUsage = async (isJson: boolean, days = 2) => {
    let text = "";
    await kv.set(STORE_KEYS.storeNetwork.toKey(), "sandbox");
    await printKeyUsage({ network: "sandbox", store: { path } }, { days, isJson, now: clock.now() }, (line) => {
      text = line;
    });
    return text;
  };
  return { kv, clock, readUsage };
}

test("the report adds the calls of all instances by key and UTC day, whatever a key is named", async () => {
  const { kv, clock, readUsage } = openStore();
  const [counterA, counterB] = [createKeyUsageCounter({ kv, clock }), createKeyUsageCounter({ kv, clock })];
  counterA.countCall("shop");
  await clock.advance(1);
  for (const name of ["shop", "shop", "constructor", null]) counterA.countCall(name);
  for (let i = 0; i < 3; i++) counterB.countCall("shop");
  await Promise.all([counterA.write(), counterB.write(), counterA.write()]);
  expect(await readUsage(false)).toBe(
    [
      "Day         (unnamed)  constructor  shop",
      "----------  ---------  -----------  ----",
      "2026-11-23          1            1     5",
      "2026-11-22          0            0     1",
    ].join("\n"),
  );
  expect(JSON.parse(await readUsage(true))).toEqual([
    { day: "2026-11-23", calls: { shop: 5, constructor: 1, "(unnamed)": 1 } as object },
    { day: "2026-11-22", calls: { shop: 1 } },
  ]);
});

test("the process writes the counts later when the store does not answer", async () => {
  const { kv, clock, readUsage } = openStore();
  let isDown = true;
  const replace: typeof kv.replace = (...args) =>
    isDown ? Promise.reject(new AppError("upstream_timeout")) : kv.replace(...args);
  const counter = createKeyUsageCounter({ kv: { ...kv, replace }, clock });
  counter.countCall("shop");
  await counter.write();
  expect(await readUsage(false)).toBe("No static key was used in the last 2 days.");
  isDown = false;
  counter.countCall("shop");
  await counter.write();
  expect(JSON.parse(await readUsage(true, 1))).toEqual([{ day: "2026-11-22", calls: { shop: 2 } }]);
});
