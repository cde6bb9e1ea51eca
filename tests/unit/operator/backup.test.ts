import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { openLmdbStore } from "../../../lib/clients/store/kv-lmdb";
import { checkLmdbFile } from "../../../lib/clients/store/kv-lmdb-check";
import { backUpStore, restoreStore } from "../../../lib/operator/backup";
import { createManualClock } from "../../support/fakes/manual-clock";

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "backup-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

const silent = () => {};

async function withStore<T>(path: string, use: (store: ReturnType<typeof openLmdbStore>) => Promise<T>): Promise<T> {
  const store = openLmdbStore({ path, clock: createManualClock() });
  return use(store).finally(() => store.close());
}

/** Starts a process that writes to the store until it is killed. `acknowledged` grows with each acknowledged key. */
function startWriter(path: string) {
  const child = spawn(process.execPath, ["--import", "tsx", "tests/support/store/kv-child.ts", path, "write"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const acknowledged: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => line.startsWith("set:") && acknowledged.push(line));
  const grow = async (by: number) => {
    for (const end = acknowledged.length + by; acknowledged.length < end; ) await once(lines, "line");
  };
  return { child, acknowledged, grow };
}

test("a restored backup has every key that was acknowledged before it", async () => {
  const root = await folder();
  const path = join(root, "live", "store");
  const { child, acknowledged, grow } = startWriter(path);
  for (const round of [1, 2, 3]) {
    await grow(200);
    const promised = [...acknowledged];
    await backUpStore({ path }, join(root, "backups", String(round)), silent);
    await grow(1);
    const restored = join(root, `restored-${round}`, "store");
    await restoreStore({ path: restored }, join(root, "backups", String(round)), silent);
    checkLmdbFile(restored);
    const keys = await withStore(restored, (store) => store.getMany(promised));
    expect(keys.filter((value) => value === null)).toEqual([]);
  }
  expect(child.exitCode).toBeNull();
});

test("two backups of one store at the same time are both whole", async () => {
  const root = await folder();
  const path = join(root, "store");
  await withStore(path, (store) => store.set("a", 1));
  const targets = ["first", "second"].map((name) => join(root, name));
  await Promise.all(targets.map((target) => backUpStore({ path }, target, silent)));
  for (const target of targets) {
    const restored = join(`${target}-restored`, "store");
    await restoreStore({ path: restored }, target, silent);
    expect(await withStore(restored, (store) => store.get("a"))).toBe(1);
  }
});

test("the service starts on a store that was restored after a loss", async () => {
  const root = await folder();
  const path = join(root, "store");
  await withStore(path, (store) => store.set("a", 1));
  await backUpStore({ path }, join(root, "backup"), silent);
  await rm(join(path, "data.mdb"));
  expect(() => checkLmdbFile(path)).toThrow("data.mdb is missing");
  const printed: string[] = [];
  await restoreStore({ path }, join(root, "backup"), (text) => printed.push(text));
  checkLmdbFile(path);
  expect(await withStore(path, (store) => store.get("a"))).toBe(1);
  expect(printed.join()).toMatch(/^Restored .* API keys revoked since the backup work again; revoke them\.$/);
});

test("neither command overwrites a folder or leaves a partial one", async () => {
  const root = await folder();
  const [path, copy] = [join(root, "store"), join(root, "backup")];
  const refuses = async (work: () => Promise<void>, why: RegExp) => {
    const before = (await readdir(root)).sort();
    const failure = await work().catch((error: Error) => error);
    expect(failure).toMatchObject({ name: "OperatorFailure", exitCode: 1, message: expect.stringMatching(why) });
    expect((await readdir(root)).sort()).toEqual(before);
  };
  await refuses(() => backUpStore({ path }, copy, silent), /there is no store in/);
  await withStore(path, (store) => store.set("a", 1));
  await backUpStore({ path }, copy, silent);
  await refuses(() => backUpStore({ path }, copy, silent), /is not empty/);
  await refuses(() => restoreStore({ path }, copy, silent), /holds a store; stop the service/);
  await refuses(() => restoreStore({ path: join(root, "new") }, path, silent), /backup command did not make it/);
  await cp(copy, join(root, "damaged"), { recursive: true });
  await appendFile(join(root, "damaged", "data.mdb"), "x");
  await refuses(() => restoreStore({ path: join(root, "new") }, join(root, "damaged"), silent), /checksum differs/);
  await writeFile(join(root, "file"), "");
  await refuses(() => backUpStore({ path }, join(root, "file", "inside"), silent), /The backup was not made: /);
  await refuses(
    () => backUpStore({ kind: "rest", timeoutMs: 1_000, url: "http://store.test", token: "t" }, copy, silent),
    /shared store/,
  );
});
