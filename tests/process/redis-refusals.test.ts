import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_CHAIN_SETTINGS, startAppForFile } from "../support/app/app-for-file";
import { get } from "../support/client/client";
import { hasRedis, type RedisProcess, startRedis } from "../support/store/redis-server";
import { createFolderForFile } from "../support/store/temp-folder";
import { connectRedis } from "../support/store/upstash-bridge";

/* Starts the service on a Redis server, which later refuses a right and the password. */

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
    await admin.call("ACL", "SETUSER", "full", "on", ">secret-user", "~*", "+@all");
  });
  afterAll(async () => {
    admin?.disconnect();
    await redis?.stop();
  });

  test("while the service runs is named in the log and in the verbose health, without the secret", async () => {
    const REDIS_URL = `redis://full:secret-user@127.0.0.1:${redis.port}`;
    const env = { ...NO_CHAIN_SETTINGS, KV_TIMEOUT_MS: "20000", REDIS_URL, API_KEYS: API_KEY };
    const app = await startAppForFile("redis-refusals", folder, env);
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
