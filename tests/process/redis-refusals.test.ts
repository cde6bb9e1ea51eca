import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { START_ARGS } from "../support/app/app";
import { NO_CHAIN_SETTINGS, startAppForFile } from "../support/app/app-for-file";
import { runNode } from "../support/app/process";
import { get } from "../support/client/client";
import { hasRedis, type RedisProcess, startRedis } from "../support/store/redis-server";
import { createFolderForFile } from "../support/store/temp-folder";
import { connectRedis } from "../support/store/upstash-bridge";

/* Starts the service on a Redis server that refuses the password or a right, and lets the server refuse one later. */

const isInstalled = await hasRedis("what a Redis server refuses");
const folder = createFolderForFile();
const API_KEY = "static-key-0123456789abcdef01234";

describe.skipIf(!isInstalled)("a Redis server that refuses", () => {
  let redis: RedisProcess;
  let admin: ReturnType<typeof connectRedis>;

  beforeAll(async () => {
    redis = (await startRedis(["--requirepass", "secret-admin"]))!;
    admin = connectRedis(redis.port);
    await admin.auth("secret-admin");
    for (const [user, ...rules] of [["full"], ["no-scripts", "-@scripting"]])
      await admin.call("ACL", "SETUSER", user!, "on", ">secret-user", "~*", "+@all", ...rules);
  });
  afterAll(async () => {
    admin?.disconnect();
    await redis?.stop();
  });

  const toEnv = (credentials: string, query = "") => ({
    ...{ ...NO_CHAIN_SETTINGS, PORT: "0", DATA_DIR: join(folder, "data"), KV_TIMEOUT_MS: "20000" },
    REDIS_URL: `redis://${credentials}127.0.0.1:${redis.port}${query}`,
  });

  test.each([
    ["the password", ":secret-wrong@", "", "the store refuses the user name or the password"],
    ["a call without a password", "", "", "the store asks for a password"],
    ["a right", "no-scripts:secret-user@", "", "the store does not let its user run EVAL"],
    ["a password after the question mark", "", "?password=secret-admin", "has a part after the ? that does not count"],
  ])("%s ends the start with one sentence, without the secret", async (_caseName, credentials, query, sentence) => {
    const { exitCode, lines } = runNode(START_ARGS, { env: toEnv(credentials, query) });
    expect(await exitCode).toBe(1);
    expect(lines).toEqual([expect.stringContaining(`REDIS_URL: ${sentence}`)]);
    expect(lines[0]).not.toContain("secret");
  });

  test("while the service runs is named in the log and in the verbose health, without the secret", async () => {
    const env = { ...toEnv("full:secret-user@"), API_KEYS: API_KEY };
    const app = await startAppForFile("redis-refusals", join(folder, "running"), env);
    const readRefusal = async () => {
      const { body } = await get("/api/health?verbose", { headers: { "x-api-key": API_KEY } });
      return body?.data?.report?.upstreams.find(({ name }) => name === "store")?.lastRefusal;
    };
    try {
      expect(await readRefusal()).toBeNull();
      await admin.call("ACL", "SETUSER", "full", "-getex");
      // Reads of one moment share a script.
      expect(await readRefusal()).toMatch(/^does not let its user run (GETEX|a command in a script)$/);
      await app.waitForLine((line) => /"notice":"store does not let its user run [\w ]+\."/.exec(line));
      await admin.call("ACL", "SETUSER", "full", "+getex", "resetpass", ">secret-new");
      await admin.call("CLIENT", "KILL", "USER", "full");
      await expect.poll(readRefusal, { timeout: 30_000 }).toBe("refuses the user name or the password");
      expect(app.lines.join("\n")).not.toContain("secret");
    } finally {
      await app.stop();
    }
  });
});
