import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { openLmdbStore } from "../../../../lib/clients/store/kv-lmdb";
import { bundlePrograms } from "../../../support/app/bundle";
import { createFolderForFile } from "../../../support/store/temp-folder";

const folder = createFolderForFile();

let nowMs = 1_700_000_000_000;
const clock = { now: () => nowMs };

const { child: CHILD_PROGRAM } = await bundlePrograms("kv-lmdb", { child: "tests/support/store/kv-child.ts" });

/** Opens the store in this folder, and closes it after the test. */
function openStore(folderName: string, options: Partial<Parameters<typeof openLmdbStore>[0]> = {}) {
  const store = openLmdbStore({ path: join(folder, folderName), clock, ...options });
  onTestFinished(() => store.close());
  return store;
}

function startChild(...args: string[]) {
  const child = spawn(process.execPath, [CHILD_PROGRAM, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  return { child, lines: createInterface({ input: child.stdout }) };
}

test("the embedded store loses no acknowledged write on kill -9", async () => {
  const openedStore = openStore("killed");
  const { child, lines } = startChild(join(folder, "killed"), "write");
  const acknowledgedLines: string[] = [];
  for await (const line of lines) {
    acknowledgedLines.push(line);
    if (acknowledgedLines.length === 500) child.kill("SIGKILL");
  }
  expect(child.signalCode ?? (await once(child, "exit"))[1]).toBe("SIGKILL");
  await openedStore.set("after", 1);

  const listNames = (kind: string) =>
    acknowledgedLines.filter((line) => line.startsWith(kind)).map((line) => line.slice(kind.length));
  const deletedKeys = new Set(listNames("gone "));
  const counts = listNames("count:").map((text) => text.split(" ").map(Number));
  // At the kill, at most two deletions of each of the child's four lanes were in flight.
  const unclearKeys = listNames("once:").flatMap((name) => (deletedKeys.has(`once:${name}`) ? [] : [`once:${name}`]));
  expect(unclearKeys.length).toBeLessThanOrEqual(8);

  const reopenedStore = openStore("killed");
  for (const store of [openedStore, reopenedStore]) {
    for (const name of listNames("set:")) expect(await store.get(`set:${name}`)).toMatchObject({ name });
    for (const key of deletedKeys) expect(await store.get(key)).toBeNull();
    // The child deletes a lane's key only after it has written the lane's next one.
    const unclearValues = await store.getMany(unclearKeys);
    expect(unclearValues.filter((value) => value !== null).length).toBeGreaterThanOrEqual(4);
    for (const [lane, count] of counts) expect(await store.get<number>(`count:${lane}`)).toBeGreaterThanOrEqual(count!);
    expect(await store.get("after")).toBe(1);
  }
  await openedStore.close();
  expect(await reopenedStore.get("after")).toBe(1);
});

test("setIfAbsent gives each of 1,000 keys one winner when two processes race", async () => {
  const winCounts = await Promise.all(
    [1, 2].map(async () => {
      const { lines } = startChild(join(folder, "race"), "race", "1000");
      for await (const line of lines) return Number(line);
      return Number.NaN;
    }),
  );
  expect(winCounts[0]! + winCounts[1]!).toBe(1_000);
  const keys = Array.from({ length: 1_000 }, (_, index) => `race:${index}`);
  expect((await openStore("race").getMany(keys)).every(Boolean)).toBe(true);
});

test("on a full disk, writes fail while reads continue and the process lives", async () => {
  // The process may write files of at most 400 blocks.
  const command = 'ulimit -f 400; exec "$0" "$@"';
  const args = ["-c", command, process.execPath, CHILD_PROGRAM, join(folder, "full"), "fill"];
  const { stdout, code } = await promisify(execFile)("sh", args).then(
    ({ stdout }) => ({ stdout, code: 0 }),
    (error) => error,
  );
  expect(code).toBe(0);
  const failures = Array(3).fill("upstream_unavailable: store cannot write");
  expect(JSON.parse(stdout.trim().split("\n").at(-1)!)).toEqual({ failures, read: 3_000 });
});

test("on an almost full disk, ping fails before the first write fails", async () => {
  const store = openStore("narrow", { minFreeBytes: Number.MAX_SAFE_INTEGER });
  const failure = { code: "upstream_unavailable", details: { cause: { message: "store has no room on its disk" } } };
  await expect(store.ping()).rejects.toMatchObject(failure);
  await store.set("small", 1);
});

test("the store keeps serving reads while a write never ends", async () => {
  const earlierStore = openStore("held");
  await earlierStore.set("before", 1);
  await earlierStore.close();
  const store = openStore("held", { writeTimeoutMs: 100 });
  const { child, lines } = startChild(join(folder, "held"), "hold");
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(lines, "line");
  await expect(store.set("late", 1)).rejects.toMatchObject({ code: "upstream_timeout" });
  await expect(store.ping()).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(await store.get("before")).toBe(1);
  await store.close();
});

test("the sweep removes only expired entries, in several slices", async () => {
  const store = openStore("sweep");
  const keys = Array.from({ length: 1_700 }, (_, index) => `k${index}`);
  await Promise.all(keys.map((key, index) => store.set(key, index, index % 2 ? 10 : undefined)));
  expect(await store.sweep()).toBe(0);
  nowMs += 10;
  expect(await store.sweep()).toBe(850);
  expect(await store.sweep()).toBe(0);
  expect((await store.getMany(keys)).filter((value) => value !== null).length).toBe(850);
});

test("the sweep keeps an expired entry that is written again while the sweep runs", async () => {
  const store = openStore("spare");
  await store.set("a", "old", 10);
  nowMs += 10;
  const pendingWrite = store.set("a", "new");
  expect(await store.sweep()).toBe(0);
  await pendingWrite;
  expect(await store.get("a")).toBe("new");
});
