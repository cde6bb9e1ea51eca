import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileLock, type Processes, thisMachine } from "../../../../../lib/sdk/cli/state/file-lock";
import { fileStorage } from "../../../../../lib/sdk/cli/state/files";
import { temporaryFolder } from "../../../../support/chain/sandbox-rig";
import { hasNamespaces, holdElsewhere } from "../../../../support/fakes/other-namespace";

const KEY = "roundup-run:wallet";

/** One of several processes of a machine, of which only some are still there. */
function processOf(pid: number, { alive = [pid], host = "here", began = `${pid}`, now = Date.now } = {}): Processes {
  const self = { pid, host, began };
  return { self, isAlive: (other) => alive.includes(other), beganOf: (other) => `${other}`, now };
}

/** Leaves a lock as a crash does. */
async function crashed(folder: string, processes: Processes) {
  const { pid, host, began } = processes.self;
  writeFileSync(join(folder, `${encodeURIComponent(KEY)}.lock`), JSON.stringify({ pid, host, began }));
}

const takes = async (folder: string, processes: Processes) => fileLock(folder, processes)(KEY, async () => {});

test("what is kept is there after a restart, whatever its name, until it is forgotten; nothing else stays in the folder", async () => {
  const folder = join(await temporaryFolder(), "not", "there", "yet");
  const key = "../a/b:c";
  await fileStorage(folder).set(key, "1");
  await fileStorage(folder).set(key, "2");
  expect(await fileStorage(folder).get(key)).toBe("2");
  expect(readdirSync(folder)).toHaveLength(1);
  await fileStorage(folder).set(key, null);
  await fileStorage(folder).set(key, null);
  expect(await fileStorage(folder).get(key)).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
});

test("one at a time, and free again afterwards, also when the task failed", async () => {
  const folder = await temporaryFolder();
  const lock = fileLock(folder, processOf(1));
  const failing = lock(KEY, async () => {
    expect(await takes(folder, processOf(2, { alive: [1, 2] }))).toBe(false);
    expect(await lock(KEY, async () => {})).toBe(false);
    expect(await lock("another", async () => {})).toBe(true);
    throw new Error("the task's own");
  });
  await expect(failing).rejects.toThrow("the task's own");
  expect(await takes(folder, processOf(2))).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["is gone", processOf(1), processOf(2), true],
  ["lives", processOf(1), processOf(2, { alive: [1, 2] }), false],
  ["is gone and its number went to another one", processOf(1, { began: "0" }), processOf(2, { alive: [1, 2] }), true],
  ["had this one's number, as the first of a container has", processOf(2), processOf(2), true],
  ["is on another machine and was heard of lately", processOf(1, { host: "there" }), processOf(2), false],
  [
    "is on another machine and has been silent",
    processOf(1, { host: "there" }),
    processOf(2, { now: () => Date.now() + 121_000 }),
    true,
  ],
])("a lock whose holder %s", async (_, holder, other, free) => {
  const folder = await temporaryFolder();
  await crashed(folder, holder);
  expect(await takes(folder, other)).toBe(free);
});

test("of many that find a dead one's lock, one at a time takes it over", async () => {
  const folder = await temporaryFolder();
  await crashed(folder, processOf(1));
  let [inside, most, ran] = [0, 0, 0];
  const all = Array.from({ length: 20 }, (_, i) => {
    const alive = Array.from({ length: 20 }, (__, other) => other + 2);
    return fileLock(folder, processOf(i + 2, { alive }))(KEY, async () => {
      inside += 1;
      ran += 1;
      most = Math.max(most, inside);
      await Promise.resolve();
      inside -= 1;
    });
  });
  await Promise.all(all);
  expect(most).toBe(1);
  expect(ran).toBeGreaterThan(0);
});

test.skipIf(!hasNamespaces)("a lock held in another PID namespace is held until it has been silent", async () => {
  const folder = await temporaryFolder();
  const { crash } = await holdElsewhere("state", folder);
  const [take, later] = [fileLock(folder), fileLock(folder, { ...thisMachine(), now: () => Date.now() + 121_000 })];
  expect(await take(KEY, async () => {})).toBe(false);
  await crash();
  expect(await take(KEY, async () => {})).toBe(false);
  expect(await later(KEY, async () => {})).toBe(true);
});

test("a lock that was taken over while its holder was stopped is left to its new holder", async () => {
  const folder = await temporaryFolder();
  const there = processOf(1, { host: "there" });
  await fileLock(folder, there)(KEY, async () => {
    await crashed(folder, processOf(2));
  });
  const left = readFileSync(join(folder, `${encodeURIComponent(KEY)}.lock`), "utf8");
  expect(JSON.parse(left)).toMatchObject({ pid: 2, host: "here" });
});
