import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSystemProcesses, type Processes } from "../../../../../lib/process-lock";
import { createFileLock } from "../../../../../lib/sdk/cli/state/file-lock";
import { createFileStorage } from "../../../../../lib/sdk/cli/state/files";
import { createFolder } from "../../../../support/chain/sandbox-rig";
import { hasNamespaces, holdLockInNamespace } from "../../../../support/fakes/other-namespace";

const KEY = "roundup-run:wallet";

/** Creates one of several processes on a machine; `alive` lists the running ones. */
function processOf(pid: number, { alive = [pid], host = "here", began = `${pid}`, now = Date.now } = {}): Processes {
  const self = { pid, host, began };
  return { self, isAlive: (other) => alive.includes(other), findStart: (other) => `${other}`, now };
}

/** Leaves a lock file behind, as after a crash. */
async function crashed(folder: string, processes: Processes) {
  const { pid, host, began } = processes.self;
  writeFileSync(join(folder, `${encodeURIComponent(KEY)}.lock`), JSON.stringify({ pid, host, began }));
}

const takes = async (folder: string, processes: Processes) => createFileLock(folder, processes)(KEY, async () => {});

test("stores values across restarts for any key, deletes them on request, and leaves no other files", async () => {
  const folder = join(await createFolder(), "not", "there", "yet");
  const key = "../a/b:c";
  await createFileStorage(folder).set(key, "1");
  await createFileStorage(folder).set(key, "2");
  expect(await createFileStorage(folder).get(key)).toBe("2");
  expect(readdirSync(folder)).toHaveLength(1);
  await createFileStorage(folder).set(key, null);
  await createFileStorage(folder).set(key, null);
  expect(await createFileStorage(folder).get(key)).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
});

test("runs one task at a time, and releases the lock even if the task fails", async () => {
  const folder = await createFolder();
  const lock = createFileLock(folder, processOf(1));
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
  ["has died", processOf(1), processOf(2), true],
  ["is running", processOf(1), processOf(2, { alive: [1, 2] }), false],
  ["has died and whose process id is reused", processOf(1, { began: "0" }), processOf(2, { alive: [1, 2] }), true],
  ["had the process id of this process, as in a restarted container", processOf(2), processOf(2), true],
  ["is on another machine and touched it recently", processOf(1, { host: "there" }), processOf(2), false],
  [
    "is on another machine and has not touched it for two minutes",
    processOf(1, { host: "there" }),
    processOf(2, { now: () => Date.now() + 121_000 }),
    true,
  ],
])("decides whether to take over a lock whose holder %s", async (_, holder, other, free) => {
  const folder = await createFolder();
  await crashed(folder, holder);
  expect(await takes(folder, other)).toBe(free);
});

test("lets only one process at a time take over a dead lock", async () => {
  const folder = await createFolder();
  await crashed(folder, processOf(1));
  let [inside, most, ran] = [0, 0, 0];
  const all = Array.from({ length: 20 }, (_, i) => {
    const alive = Array.from({ length: 20 }, (__, other) => other + 2);
    return createFileLock(folder, processOf(i + 2, { alive }))(KEY, async () => {
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
  const folder = await createFolder();
  const { crash } = await holdLockInNamespace("state", folder);
  const [take, later] = [
    createFileLock(folder),
    createFileLock(folder, { ...createSystemProcesses(), now: () => Date.now() + 121_000 }),
  ];
  expect(await take(KEY, async () => {})).toBe(false);
  await crash();
  expect(await take(KEY, async () => {})).toBe(false);
  expect(await later(KEY, async () => {})).toBe(true);
});

test("does not release a lock that another process took over during a suspension", async () => {
  const folder = await createFolder();
  const there = processOf(1, { host: "there" });
  await createFileLock(folder, there)(KEY, async () => {
    await crashed(folder, processOf(2));
  });
  const left = readFileSync(join(folder, `${encodeURIComponent(KEY)}.lock`), "utf8");
  expect(JSON.parse(left)).toMatchObject({ pid: 2, host: "here" });
});
