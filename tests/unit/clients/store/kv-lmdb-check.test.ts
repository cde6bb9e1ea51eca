import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLmdbStore } from "../../../../lib/clients/store/kv-lmdb";
import { checkLmdbFile } from "../../../../lib/clients/store/kv-lmdb-check";
import { createFolderForTest } from "../../../support/store/temp-folder";

/** Opens a store that is closed at the latest after the test. */
function openStore(path: string) {
  const store = openLmdbStore({ path, clock: { now: () => 1_790_000_000_000 } });
  onTestFinished(() => store.close());
  return store;
}

/** Creates a closed store of some hundred pages. @returns its folder and its file */
async function createFilledStore(): Promise<{ path: string; file: string }> {
  const path = createFolderForTest();
  const store = openStore(path);
  await Promise.all(Array.from({ length: 500 }, (_, i) => store.set(`key ${i}`, "x".repeat(500))));
  await store.close();
  return { path, file: join(path, "data.mdb") };
}

test("the check accepts a missing store and leaves an intact one unchanged", async () => {
  checkLmdbFile(join(createFolderForTest(), "none"));
  const { path } = await createFilledStore();
  checkLmdbFile(path);
  expect(await openStore(path).get("key 499")).toBe("x".repeat(500));
});

const PAGE_BYTES = 4096;
const NOISE_BYTE = 0xa7;
const overwriteBytes = (file: string, byte: number, firstOffset = 0) =>
  writeFileSync(file, readFileSync(file).fill(byte, firstOffset));

test.each<[string, (file: string) => void]>([
  ["cut off", (file) => truncateSync(file, 10 * PAGE_BYTES)],
  ["of zeros", (file) => overwriteBytes(file, 0)],
  ["of noise", (file) => overwriteBytes(file, NOISE_BYTE)],
  ["with noise behind two sound head pages", (file) => overwriteBytes(file, NOISE_BYTE, 2 * PAGE_BYTES)],
  ["of one byte", (file) => truncateSync(file, 1)],
  ["of half a page", (file) => truncateSync(file, PAGE_BYTES / 2)],
  ["of its two head pages", (file) => truncateSync(file, 2 * PAGE_BYTES)],
  ["of some words", (file) => writeFileSync(file, "not a store\n".repeat(10_000))],
])(
  "the check refuses a file %s with a sentence for the operator, without ending this process",
  async (_caseName, damage) => {
    const { path, file } = await createFilledStore();
    damage(file);
    expect(() => checkLmdbFile(path)).toThrow(/damaged/);
  },
);

test("the check tells the operator what to do when there is no room for a new store", () => {
  const path = createFolderForTest();
  const script = `require("./lib/clients/store/kv-lmdb-check.ts").checkLmdbFile(${JSON.stringify(path)})`;
  // The process may write files of at most 8 blocks.
  const command = 'ulimit -f 8; exec "$0" --import tsx -e "$1"';
  const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, script], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/(EFBIG|ENOSPC).*Free disk space/) });
  expect(readdirSync(path)).toEqual([]);
});

describe("a folder that held a store", () => {
  const MARKER = "store-created.txt";
  const REFUSAL_PATTERN = /data\.mdb is (missing|empty).*[Rr]estore.*backup.*delete .*store-created\.txt/s;

  test.each<[string, (file: string) => void]>([
    ["missing", (file) => rmSync(file)],
    ["empty", (file) => truncateSync(file, 0)],
  ])("is refused and left unchanged if its data.mdb is %s", async (_caseName, loseData) => {
    const { path, file } = await createFilledStore();
    loseData(file);
    const earlierFiles = readdirSync(path);
    expect(() => checkLmdbFile(path)).toThrow(REFUSAL_PATTERN);
    expect(() => openStore(path)).toThrow(REFUSAL_PATTERN);
    expect(readdirSync(path)).toEqual(earlierFiles);
    rmSync(join(path, MARKER));
    checkLmdbFile(path);
    expect(await openStore(path).get("key 1")).toBeNull();
  });

  test("gets its marker with the first write, before the write is acknowledged", async () => {
    const path = createFolderForTest();
    checkLmdbFile(path);
    const store = openStore(path);
    expect(existsSync(join(path, MARKER))).toBe(false);
    await store.set("key", 1);
    expect(readFileSync(join(path, MARKER), "utf8")).toMatch(/backup/);
  });

  test("gets its marker again if the marker was deleted", async () => {
    const { path } = await createFilledStore();
    rmSync(join(path, MARKER));
    checkLmdbFile(path);
    const store = openStore(path);
    await store.ping();
    expect(existsSync(join(path, MARKER))).toBe(true);
    expect(await store.get("key 1")).toBe("x".repeat(500));
  });

  test("counts as new if the process was killed before its first write", async () => {
    const path = createFolderForTest();
    writeFileSync(join(path, "data.mdb"), "");
    checkLmdbFile(path);
    const store = openStore(path);
    await store.set("key", 1);
    await store.close();
    checkLmdbFile(path);
  });
});
