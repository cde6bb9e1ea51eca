import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openLmdbStore } from "../../../../lib/clients/store/kv-lmdb";
import { checkLmdbFile } from "../../../../lib/clients/store/kv-lmdb-check";

const scratch = mkdtempSync(join(tmpdir(), "roundup-lmdb-check-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const clock = { now: () => 1_790_000_000_000 };

/** Creates a closed store of some hundred pages. @returns its folder and its file */
async function filled(name: string): Promise<{ path: string; file: string }> {
  const path = join(scratch, name);
  const store = openLmdbStore({ path, clock });
  await Promise.all(Array.from({ length: 500 }, (_, i) => store.set(`key ${i}`, "x".repeat(500))));
  await store.close();
  return { path, file: join(path, "data.mdb") };
}

test("accepts a missing store and leaves an intact one unchanged", async () => {
  checkLmdbFile(join(scratch, "none"));
  const { path } = await filled("sound");
  checkLmdbFile(path);
  const store = openLmdbStore({ path, clock });
  expect(await store.get("key 499")).toBe("x".repeat(500));
  await store.close();
});

const PAGE = 4096;
const overwrite = (file: string, from: number, byte: number) =>
  writeFileSync(file, readFileSync(file).fill(byte, from));

test.each<[string, (file: string) => void]>([
  ["cut off", (file) => truncateSync(file, 10 * PAGE)],
  ["of zeros", (file) => overwrite(file, 0, 0)],
  ["of noise", (file) => overwrite(file, 0, 0xa7)],
  ["with noise behind a sound head", (file) => overwrite(file, 2 * PAGE, 0xa7)],
  ["of one byte", (file) => truncateSync(file, 1)],
  ["of half a page", (file) => truncateSync(file, PAGE / 2)],
  ["of its two head pages", (file) => truncateSync(file, 2 * PAGE)],
  ["of some words", (file) => writeFileSync(file, "not a store\n".repeat(10_000))],
])("refuses a file %s with a sentence for the operator, without ending this process", async (name, damage) => {
  const { path, file } = await filled(name.replaceAll(" ", "-"));
  damage(file);
  expect(() => checkLmdbFile(path)).toThrow(/damaged/);
});

test("tells the operator what to do when there is no room for a new store", () => {
  const path = join(scratch, "no-room");
  const script = `require("./lib/clients/store/kv-lmdb-check.ts").checkLmdbFile(${JSON.stringify(path)})`;
  // 8 blocks: the largest file that the process may write.
  const command = 'ulimit -f 8; exec "$0" --import tsx -e "$1"';
  const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, script], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/(EFBIG|ENOSPC).*Free disk space/) });
  expect(readdirSync(path)).toEqual([]);
});

describe("a folder that held a store", () => {
  const MARKER = "store-created.txt";
  const openStore = (path: string) => openLmdbStore({ path, clock });
  const REFUSED = /data\.mdb is (missing|empty).*[Rr]estore.*backup.*delete .*store-created\.txt/s;

  test.each<[string, (file: string) => void]>([
    ["missing", (file) => rmSync(file)],
    ["empty", (file) => truncateSync(file, 0)],
  ])("is refused unchanged when its data.mdb is %s", async (name, lose) => {
    const { path, file } = await filled(`lost-${name}`);
    lose(file);
    const earlierFiles = readdirSync(path);
    expect(() => checkLmdbFile(path)).toThrow(REFUSED);
    expect(() => openStore(path)).toThrow(REFUSED);
    expect(readdirSync(path)).toEqual(earlierFiles);
    rmSync(join(path, MARKER));
    checkLmdbFile(path);
    const store = openStore(path);
    expect(await store.get("key 1")).toBeNull();
    await store.close();
  });

  test("gets its marker with the first write, before that is acknowledged", async () => {
    const path = join(scratch, "marked");
    checkLmdbFile(path);
    const store = openStore(path);
    expect(existsSync(join(path, MARKER))).toBe(false);
    await store.set("key", 1);
    expect(readFileSync(join(path, MARKER), "utf8")).toMatch(/backup/);
    await store.close();
  });

  test("gets its marker with the first write when an older version created it", async () => {
    const { path } = await filled("older");
    rmSync(join(path, MARKER));
    checkLmdbFile(path);
    const store = openStore(path);
    await store.ping();
    expect(existsSync(join(path, MARKER))).toBe(true);
    expect(await store.get("key 1")).toBe("x".repeat(500));
    await store.close();
  });

  test("starts as new when the process was killed before its first write", async () => {
    const path = join(scratch, "killed-early");
    mkdirSync(path);
    writeFileSync(join(path, "data.mdb"), "");
    checkLmdbFile(path);
    const store = openStore(path);
    await store.set("key", 1);
    await store.close();
    checkLmdbFile(path);
  });
});
