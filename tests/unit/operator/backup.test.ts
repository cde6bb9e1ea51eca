import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, cp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { openLmdbStore } from "../../../lib/clients/store/kv-lmdb";
import { checkLmdbFile } from "../../../lib/clients/store/kv-lmdb-check";
import { STORE_KEYS } from "../../../lib/domain/store-keys";
import { backUpStore, restoreStore } from "../../../lib/operator/backup";
import type { ServiceStore } from "../../../lib/operator/store";
import { bundlePrograms } from "../../support/app/bundle";
import { createManualClock } from "../../support/fakes/manual-clock";
import { createFolderForTest } from "../../support/store/temp-folder";

const { child: WRITER_PROGRAM } = await bundlePrograms("backup", { child: "tests/support/store/kv-child.ts" });

const printNothing = () => {};

/** Returns the arguments that name a service's store. */
const toService = (path: string, network: ServiceStore["network"] = "mainnet-beta"): ServiceStore => ({
  network,
  store: { path },
});

/** Opens a store as a service that runs on it does. */
async function withStore<T>(path: string, use: (store: ReturnType<typeof openLmdbStore>) => Promise<T>): Promise<T> {
  const store = openLmdbStore({ path, clock: createManualClock() });
  await store.setIfAbsent(STORE_KEYS.storeNetwork.toKey(), "mainnet-beta");
  return use(store).finally(() => store.close());
}

/** Starts a process that writes to the store until it is killed. `writtenKeys` has the keys of acknowledged writes. */
function startWriter(path: string) {
  const child = spawn(process.execPath, [WRITER_PROGRAM, path, "write"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const writtenKeys: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => line.startsWith("set:") && writtenKeys.push(line));
  const waitForWrites = async (count: number) => {
    for (const finalCount = writtenKeys.length + count; writtenKeys.length < finalCount; ) await once(lines, "line");
  };
  return { child, writtenKeys, waitForWrites };
}

test("a restored backup has every key that was acknowledged before it", async () => {
  const root = createFolderForTest();
  const path = join(root, "live", "store");
  await withStore(path, async () => {});
  const { child, writtenKeys, waitForWrites } = startWriter(path);
  for (const round of [1, 2, 3]) {
    await waitForWrites(200);
    const earlierKeys = [...writtenKeys];
    const backup = join(root, "backups", String(round));
    await backUpStore(toService(path), backup, printNothing);
    await waitForWrites(1);
    const restored = join(root, `restored-${round}`, "store");
    await restoreStore(toService(restored), backup, printNothing);
    checkLmdbFile(restored);
    const values = await withStore(restored, (store) => store.getMany(earlierKeys));
    expect(values.filter((value) => value === null)).toEqual([]);
  }
  expect(child.exitCode).toBeNull();
});

test("two backups of one store at the same time are both whole", async () => {
  const root = createFolderForTest();
  const path = join(root, "store");
  await withStore(path, (store) => store.set("a", 1));
  const targets = ["first", "second"].map((name) => join(root, name));
  await Promise.all(targets.map((target) => backUpStore(toService(path), target, printNothing)));
  for (const target of targets) {
    const restored = join(`${target}-restored`, "store");
    await restoreStore(toService(restored), target, printNothing);
    expect(await withStore(restored, (store) => store.get("a"))).toBe(1);
  }
});

test("the service starts on a store that was restored after a loss", async () => {
  const root = createFolderForTest();
  const path = join(root, "store");
  await withStore(path, (store) => store.set("a", 1));
  await backUpStore(toService(path), join(root, "backup"), printNothing);
  await rm(join(path, "data.mdb"));
  expect(() => checkLmdbFile(path)).toThrow("data.mdb is missing");
  const printed: string[] = [];
  await restoreStore(toService(path), join(root, "backup"), (text) => printed.push(text));
  checkLmdbFile(path);
  expect(await withStore(path, (store) => store.get("a"))).toBe(1);
  expect(printed.join()).toMatch(
    /^Restored .*API keys that were revoked after the backup are valid again\. Revoke them again\.$/,
  );
});

test("a backup and its restore name the network, and both commands refuse another network", async () => {
  const root = createFolderForTest();
  const [path, backup, restored] = [join(root, "store"), join(root, "backup"), join(root, "restored")];
  await withStore(path, (store) => store.set("a", 1));
  const printedTexts: string[] = [];
  const print = (text: string) => void printedTexts.push(text);
  await expect(backUpStore(toService(path, "sandbox"), backup, print)).rejects.toThrow(
    /belongs to mainnet-beta, and NETWORK is sandbox\. Set NETWORK=mainnet-beta, or name another store\.$/,
  );
  await backUpStore(toService(path), backup, print);
  await expect(restoreStore(toService(restored, "sandbox"), backup, print)).rejects.toThrow(
    /is of mainnet-beta, and NETWORK is sandbox; set NETWORK=mainnet-beta\.$/,
  );
  await restoreStore(toService(restored), backup, print);
  expect(printedTexts.slice(0, 2)).toEqual([
    expect.stringContaining("Backed up the mainnet-beta store in "),
    expect.stringContaining("to the mainnet-beta store in "),
  ]);
});

test("neither command overwrites a folder or leaves a partial one", async () => {
  const root = createFolderForTest();
  const [path, copy, damaged] = [join(root, "store"), join(root, "backup"), join(root, "damaged")];
  const newStore = toService(join(root, "new"));
  const expectRefusal = async (command: () => Promise<void>, reason: RegExp) => {
    const earlierNames = (await readdir(root)).sort();
    const failure = { name: "OperatorFailure", exitCode: 1, message: expect.stringMatching(reason) };
    await expect(command()).rejects.toMatchObject(failure);
    expect((await readdir(root)).sort()).toEqual(earlierNames);
  };
  await expectRefusal(() => backUpStore(toService(path), copy, printNothing), /^No service has used the store at /);
  await withStore(path, (store) => store.set("a", 1));
  await backUpStore(toService(path), copy, printNothing);
  await expectRefusal(() => backUpStore(toService(path), copy, printNothing), /is not empty/);
  await expectRefusal(() => restoreStore(toService(path), copy, printNothing), /holds a store; stop the service/);
  await expectRefusal(() => restoreStore(newStore, path, printNothing), /backup command did not make it/);
  await cp(copy, damaged, { recursive: true });
  await appendFile(join(damaged, "data.mdb"), "x");
  await expectRefusal(() => restoreStore(newStore, damaged, printNothing), /checksum differs/);
  const file = join(root, "file");
  await writeFile(file, "");
  await expectRefusal(
    () => backUpStore(toService(path), join(file, "inside"), printNothing),
    /The backup was not made: /,
  );
  const rest = { kind: "rest", timeoutMs: 1_000, url: "http://store.test", token: "t" } as const;
  const sharedStore = { network: "mainnet-beta", store: rest } as const;
  await expectRefusal(() => backUpStore(sharedStore, copy, printNothing), /shared store/);
});
