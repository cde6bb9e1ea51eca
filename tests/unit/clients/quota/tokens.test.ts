import { afterAll, describe, expect, test } from "vitest";
import { createCallReserver } from "../../../../lib/clients/quota/tokens";
import { createVercelCommands } from "../../../../lib/clients/store/kv-vercel";
import { openRedisStore } from "../../../support/store/redis-store";
import { connectRedis, startUpstashBridge } from "../../../support/store/upstash-bridge";

const bridge = await startUpstashBridge();
if (!bridge) console.warn("skipped: shared reservations need redis-server (Debian: apt-get install redis-server)");
const redis = bridge && connectRedis(bridge.redisPort);
afterAll(async () => {
  redis?.disconnect();
  await bridge?.stop();
});

const openOverHttp = () =>
  createCallReserver(createVercelCommands({ url: bridge!.url, token: bridge!.token, timeoutMs: 20_000 }));
const openOnRedis = () => createCallReserver(openRedisStore(bridge!.redisPort).commands);

/** Ten calls in each block. The bucket is full after 20 calls, which is 200 s, so a busy machine changes nothing. */
const BLOCK = { count: 10, gapMs: 10_000, burstMs: 200_000 };

describe.skipIf(!bridge).each([
  { name: "over HTTP", open: openOverHttp, toKey: (name: string) => `calls:${name}` },
  { name: "on Redis", open: openOnRedis, toKey: (name: string) => `roundup:calls:${name}` },
])("reservations in the shared store $name", ({ name: storeName, open, toKey }) => {
  test("of all instances never overlap, and begin with a full bucket", async () => {
    const instances = [open(), open(), open()];
    const waits = await Promise.all(Array.from({ length: 6 }, (_, i) => instances[i % 3]!(`busy ${storeName}`, BLOCK)));
    const expectedWaits = [-1, 0, 1, 2, 3, 4].map((block) => block * 100_000);
    for (const [i, waitMs] of waits.sort((a, b) => a - b).entries()) {
      expect(waitMs).toBeLessThanOrEqual(expectedWaits[i]!);
      expect(waitMs).toBeGreaterThan(expectedWaits[i]! - 30_000);
    }
  });

  test("wait for no time that was reserved before the store's clock was set back an hour", async () => {
    await redis!.set(toKey(`back ${storeName}`), String(Date.now() + 3_600_000));
    const waitMs = await open()(`back ${storeName}`, { count: 1, gapMs: 10, burstMs: 100 });
    expect(waitMs).toBeLessThanOrEqual(10);
  });
});
