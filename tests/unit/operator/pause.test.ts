import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLmdbStore } from "../../../lib/clients/store/kv-lmdb";
import { STORE_KEYS } from "../../../lib/domain/store-keys";
import type { OperatorEnv } from "../../../lib/env";
import { setPause } from "../../../lib/operator/pause";
import { createManualClock } from "../../support/fakes/manual-clock";
import { createFolderForTest } from "../../support/store/temp-folder";

const toService = (store: OperatorEnv["store"]) => ({ network: "mainnet-beta", store }) as const;

const PAUSE = { actions: ["save" as const], reason: null };

/** The change is visible in a later turn of the event loop, which a busy machine delays. */
const POLL_OPTIONS = { timeout: 30_000 };

test("the command changes and ends the pause of a service that runs on the same store", async () => {
  const path = join(createFolderForTest(), "store");
  // A store returns the state at the beginning of the event loop's turn.
  const service = openLmdbStore({ path, clock: createManualClock() });
  onTestFinished(() => service.close());
  await service.set(STORE_KEYS.storeNetwork.toKey(), "mainnet-beta");
  const printedTexts: string[] = [];
  const print = (text: string) => printedTexts.push(text);
  for (const pause of [
    { actions: ["save" as const, "invest" as const], reason: "the venue is odd" },
    { actions: ["invest" as const], reason: null },
  ]) {
    await setPause(toService({ path }), pause, print);
    const storedPause = { parts: pause.actions, reason: pause.reason };
    await expect.poll(() => service.get(STORE_KEYS.pause.toKey()), POLL_OPTIONS).toEqual(storedPause);
  }
  await setPause(toService({ path }), { actions: [], reason: null }, print);
  await expect.poll(() => service.get(STORE_KEYS.pause.toKey()), POLL_OPTIONS).toBeNull();
  expect(printedTexts).toEqual([
    `Paused: save, invest, in the mainnet-beta store at ${path}.`,
    `Paused: invest, in the mainnet-beta store at ${path}.`,
    `Nothing is paused live, in the mainnet-beta store at ${path}.`,
  ]);
});

test("the command fails with one sentence, without the token, when the store cannot be written", async () => {
  const file = join(createFolderForTest(), "file");
  await writeFile(file, "no folder");
  const address = { host: "127.0.0.1", port: 9, password: "secret-password", db: 0, tls: false };
  const servers = { address, sentinels: [], cluster: [] };
  const stores: OperatorEnv["store"][] = [
    { path: file },
    { kind: "rest", url: "http://127.0.0.1:9/path", token: "secret-token", timeoutMs: 1_000 },
    { kind: "redis", servers, prefix: "roundup:", waitReplicas: 0, timeoutMs: 1_000 },
  ];
  const failures = stores.map((store) =>
    setPause(toService(store), PAUSE, () => expect.unreachable("it printed that it paused")).catch(
      (error: Error) => error,
    ),
  );
  for (const failure of await Promise.all(failures)) {
    const message = expect.stringMatching(/^The store at [^\n]+ could not be written \([^\n]+\)\.$/);
    expect(failure).toMatchObject({ name: "OperatorFailure", exitCode: 1, message });
    expect(String(failure)).not.toContain("secret");
  }
});

test("the command changes nothing on a store that no service has used, or that belongs to another network", async () => {
  const path = join(createFolderForTest(), "store");
  const pauseStore = () => setPause(toService({ path }), PAUSE, () => expect.unreachable("it printed that it paused"));
  await expect(pauseStore()).rejects.toThrow(/^No service has used the store at .* the service's NETWORK, DATA_DIR/);
  expect(existsSync(path)).toBe(false);
  const store = openLmdbStore({ path, clock: createManualClock() });
  onTestFinished(() => store.close());
  await expect(pauseStore()).rejects.toThrow(/^No service has used the store at /);
  await store.set(STORE_KEYS.storeNetwork.toKey(), "sandbox");
  await expect(pauseStore()).rejects.toThrow(
    / belongs to sandbox, and NETWORK is mainnet-beta\. Set NETWORK=sandbox, or/,
  );
  expect(await store.get(STORE_KEYS.pause.toKey())).toBeNull();
});

test("the command refuses to replace a store whose data is gone and says what to do", async () => {
  const path = join(createFolderForTest(), "store");
  const store = openLmdbStore({ path, clock: createManualClock() });
  await store.set(STORE_KEYS.storeNetwork.toKey(), "mainnet-beta");
  await store.close();
  await rm(join(path, "data.mdb"));
  await expect(setPause(toService({ path }), PAUSE, () => {})).rejects.toThrow(/data\.mdb is missing.*Restore.*backup/);
});

test("the command ends instead of reconnecting after the store has failed", () => {
  const command = ["--import", "tsx", "lib/operator/main.ts", "pause", "none"];
  const env = { ...process.env, REDIS_URL: "redis://127.0.0.1:9" };
  const { status, stderr } = spawnSync(process.execPath, command, { env, encoding: "utf8", ...POLL_OPTIONS });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "The store at 127.0.0.1:9 (prefix roundup:sandbox:) could not be written (upstream_unavailable).\n",
  });
}, 40_000);
