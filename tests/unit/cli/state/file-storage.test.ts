import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Io } from "../../../../lib/cli/io";
import { createFileLock, createFileStorage } from "../../../../lib/cli/state/file-storage";
import { createSystemProcesses, type Processes } from "../../../../lib/process-lock";
import { createKeyFile, runCommand } from "../../../support/client/cli-user";
import { hasNamespaces, holdLockInNamespace } from "../../../support/fakes/pid-namespace";
import { createFolderForTest } from "../../../support/store/temp-folder";
import { createSdkService } from "../../../support/worlds/sdk-service";

const KEY = "roundup-run:wallet";

/**
 * Creates what one process knows of itself and the others. `alive` lists the ids of the running processes. `began` is
 * the process's start, which tells it apart from an earlier process of the same id.
 */
function createProcess(
  pid: number,
  { alive = [pid], host = "here", began = `${pid}`, now = Date.now } = {},
): Processes {
  const self = { pid, host, began };
  return { self, isAlive: (pid) => alive.includes(pid), findStartTime: (pid) => `${pid}`, now };
}

const REMOTE_PROCESS = createProcess(1, { host: "there" });

/** Returns a time at which a lock that is not touched from now on has been silent for two minutes. */
const inTwoMinutes = () => Date.now() + 121_000;

/** Leaves a lock file behind, as after a crash. */
async function leaveLock(folder: string, processes: Processes) {
  const { pid, host, began } = processes.self;
  writeFileSync(join(folder, `${encodeURIComponent(KEY)}.lock`), JSON.stringify({ pid, host, began }));
}

/** Returns true if the process gets the lock. */
const tryLock = async (folder: string, processes: Processes) =>
  createFileLock(folder, { processes })(KEY, async () => {});

test("the file storage stores and deletes values for any key, across restarts", async () => {
  const folder = join(createFolderForTest(), "not", "there", "yet");
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

test.each([
  ["storage", (folder: string, advice: string) => createFileStorage(folder, advice).set(KEY, "1")],
  ["lock", (folder: string, advice: string) => void createFileLock(folder, { advice })],
])("a %s whose folder cannot be written says which folder and what to do", (_caseName, write) => {
  const file = join(createFolderForTest(), "file");
  writeFileSync(file, "");
  const folder = join(file, "state");
  expect(() => write(folder, "Name another one.")).toThrow(
    `The folder ${folder} cannot be written (ENOTDIR). Name another one.`,
  );
});

test("the lock runs one task at a time and is free after a failure", async () => {
  const folder = createFolderForTest();
  const lock = createFileLock(folder, { processes: createProcess(1) });
  const failing = lock(KEY, async () => {
    expect(await tryLock(folder, createProcess(2, { alive: [1, 2] }))).toBe(false);
    expect(await lock(KEY, async () => {})).toBe(false);
    expect(await lock("another", async () => {})).toBe(true);
    throw new Error("task failed");
  });
  await expect(failing).rejects.toThrow("task failed");
  expect(await tryLock(folder, createProcess(2))).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["has died", createProcess(1), createProcess(2)],
  ["has died and whose process id is reused", createProcess(1, { began: "0" }), createProcess(2, { alive: [1, 2] })],
  ["had the process id of this process, as in a restarted container", createProcess(2), createProcess(2)],
  ["is on another machine and silent for two minutes", REMOTE_PROCESS, createProcess(2, { now: inTwoMinutes })],
])("a process takes over a lock whose holder %s", async (_title, holder, contender) => {
  const folder = createFolderForTest();
  await leaveLock(folder, holder);
  expect(await tryLock(folder, contender)).toBe(true);
});

test.each([
  ["is running", createProcess(1), createProcess(2, { alive: [1, 2] })],
  ["is on another machine and touched it recently", REMOTE_PROCESS, createProcess(2)],
])("a process respects a lock whose holder %s", async (_title, holder, contender) => {
  const folder = createFolderForTest();
  await leaveLock(folder, holder);
  expect(await tryLock(folder, contender)).toBe(false);
});

test("the lock lets only one process at a time take over a dead lock", async () => {
  const folder = createFolderForTest();
  await leaveLock(folder, createProcess(1));
  let [running, maxRunning, runCount] = [0, 0, 0];
  const alive = Array.from({ length: 20 }, (_process, index) => index + 2);
  const task = async () => {
    running += 1;
    runCount += 1;
    maxRunning = Math.max(maxRunning, running);
    await Promise.resolve();
    running -= 1;
  };
  await Promise.all(
    alive.map((pid) => createFileLock(folder, { processes: createProcess(pid, { alive }) })(KEY, task)),
  );
  expect(maxRunning).toBe(1);
  expect(runCount).toBeGreaterThan(0);
});

test.skipIf(!hasNamespaces)(
  "a process respects a lock of another PID namespace until its holder has been silent for two minutes",
  async () => {
    const folder = createFolderForTest();
    const { crash } = await holdLockInNamespace(folder);
    const processes = createSystemProcesses();
    expect(await tryLock(folder, processes)).toBe(false);
    await crash();
    expect(await tryLock(folder, processes)).toBe(false);
    expect(await tryLock(folder, { ...processes, now: inTwoMinutes })).toBe(true);
  },
);

test("a process does not release a lock that another process took over during a suspension", async () => {
  const folder = createFolderForTest();
  await createFileLock(folder, { processes: REMOTE_PROCESS })(KEY, () => leaveLock(folder, createProcess(2)));
  const lockText = readFileSync(join(folder, `${encodeURIComponent(KEY)}.lock`), "utf8");
  expect(JSON.parse(lockText)).toMatchObject({ pid: 2, host: "here" });
});

/** Creates a user whose key file is `~/id.json`. `run` saves change, as this user. */
function createUser() {
  const service = createSdkService();
  const { home } = createKeyFile();
  const run = (argv: string[], overrides: Partial<Io> = {}) =>
    runCommand(argv, { home, fetch: service.fetch!, clock: service.clock, ...overrides });
  const save = (env: Io["env"], overrides: Partial<Io> = {}) =>
    run(["save", "4.02", "--yes", "--keypair", "~/id.json"], { env, ...overrides });
  return { home, run, save };
}

test.each([
  ["an absolute path", "HOME/elsewhere", "elsewhere"],
  ["a path below the home folder", "~/elsewhere", "elsewhere"],
  ["a relative path, which the XDG standard tells programs to ignore", "elsewhere", ".local/state"],
  ["nothing", "", ".local/state"],
])("the state is stored where XDG_STATE_HOME says: %s", async (_caseName, value, expectedFolder) => {
  const { home, save } = createUser();
  expect(await save({ XDG_STATE_HOME: value.replace("HOME", home) })).toMatchObject({ exitCode: 0 });
  expect(existsSync(join(home, expectedFolder, "roundup/sandbox%2C%20play%20money"))).toBe(true);
  expect(readdirSync(".").filter((name) => ["~", "elsewhere"].includes(name))).toEqual([]);
});

test("a profile is stored where XDG_CONFIG_HOME says, and its key file is found from any folder", async () => {
  const { home, run } = createUser();
  const env = { XDG_CONFIG_HOME: "~/settings" };
  expect(await run(["config", "set", "keypair", "~/id.json"], { env })).toMatchObject({ exitCode: 0 });
  expect(readdirSync(join(home, "settings/roundup"))).toEqual(["default.json"]);
  expect((await run(["config"], { env })).outputLines).toEqual([`keypair  ${join(home, "id.json")}`]);
  expect(await run(["save", "4.02", "--yes"], { env })).toMatchObject({ exitCode: 0 });
});

test("without a home folder the command says which variables to set", async () => {
  const keypair = join(createKeyFile().home, "id.json");
  const runWithoutHome = (argv: string[], env: Io["env"] = {}) => runCommand(argv, { home: "", env });
  const noHome = (variable: string) => [`There is no home folder. Set HOME, or ${variable} to a folder.`];
  expect((await runWithoutHome(["--help"])).exitCode).toBe(0);
  const status = ["status", "--keypair", keypair];
  expect((await runWithoutHome(status)).errorLines).toEqual(noHome("XDG_CONFIG_HOME"));
  const env = { XDG_CONFIG_HOME: createFolderForTest() };
  expect((await runWithoutHome(status, env)).errorLines).toEqual(noHome("XDG_STATE_HOME"));
  expect((await runWithoutHome(["status", "--keypair", "~/id.json"])).errorLines.join()).toContain("HOME is not set");
});
