import { spawnSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLmdbStore } from "../../../lib/clients/store/kv-lmdb";
import { PAUSE_KEY } from "../../../lib/domain/pause";
import type { OperatorEnv } from "../../../lib/env";
import { setPause } from "../../../lib/operator/pause";
import { createManualClock } from "../../support/fakes/manual-clock";
import { createFolderForTest } from "../../support/store/temp-folder";

const PAUSE = { actions: ["save" as const], reason: null };

/** The change is visible in a later turn of the event loop, which a busy machine delays. */
const POLL_OPTIONS = { timeout: 30_000 };

test("the command changes and ends the pause of a service that runs on the same store", async () => {
  const path = join(createFolderForTest(), "store");
  // A store returns the state at the beginning of the event loop's turn.
  const service = openLmdbStore({ path, clock: createManualClock() });
  onTestFinished(() => service.close());
  const printedTexts: string[] = [];
  const print = (text: string) => printedTexts.push(text);
  for (const pause of [
    { actions: ["save" as const, "invest" as const], reason: "the venue is odd" },
    { actions: ["invest" as const], reason: null },
  ]) {
    await setPause({ path }, pause, print);
    const storedPause = { parts: pause.actions, reason: pause.reason };
    await expect.poll(() => service.get(PAUSE_KEY), POLL_OPTIONS).toEqual(storedPause);
  }
  await setPause({ path }, { actions: [], reason: null }, print);
  await expect.poll(() => service.get(PAUSE_KEY), POLL_OPTIONS).toBeNull();
  expect(printedTexts).toEqual([
    `Paused: save, invest, in the store at ${path}.`,
    `Paused: invest, in the store at ${path}.`,
    `Nothing is paused live, in the store at ${path}.`,
  ]);
});

test("the command fails with one sentence, without the token, when the store cannot be written", async () => {
  const file = join(createFolderForTest(), "file");
  await writeFile(file, "no folder");
  const address = { host: "127.0.0.1", port: 9, password: "secret-password", db: 0, tls: false };
  const servers = { address, sentinels: [], cluster: [] };
  const stores: OperatorEnv["store"][] = [
    { path: join(file, "store") },
    { kind: "rest", url: "http://127.0.0.1:9/path", token: "secret-token", timeoutMs: 1_000 },
    { kind: "redis", servers, prefix: "roundup:", waitReplicas: 0, timeoutMs: 1_000 },
  ];
  const failures = stores.map((store) =>
    setPause(store, PAUSE, () => expect.unreachable("it printed that it paused")).catch((error: Error) => error),
  );
  for (const failure of await Promise.all(failures)) {
    const message = expect.stringMatching(/^The store at \S+ could not be written \([^\n]+\)\.$/);
    expect(failure).toMatchObject({ name: "OperatorFailure", exitCode: 1, message });
    expect(String(failure)).not.toContain("secret");
  }
});

test("the command refuses to replace a store whose data is gone and says what to do", async () => {
  const path = join(createFolderForTest(), "store");
  await setPause({ path }, PAUSE, () => {});
  await rm(join(path, "data.mdb"));
  await expect(setPause({ path }, PAUSE, () => {})).rejects.toThrow(/data\.mdb is missing.*Restore.*backup/);
});

test("the command ends instead of reconnecting after the store has failed", () => {
  const command = ["--import", "tsx", "lib/operator/main.ts", "pause", "none"];
  const env = { ...process.env, REDIS_URL: "redis://127.0.0.1:9" };
  const { status, stderr } = spawnSync(process.execPath, command, { env, encoding: "utf8", ...POLL_OPTIONS });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "The store at 127.0.0.1:9 could not be written (upstream_unavailable).\n",
  });
}, 40_000);
