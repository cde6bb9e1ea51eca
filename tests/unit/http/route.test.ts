import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineContract } from "../../../lib/contracts/define";
import { getRuntime, type MeteredPorts } from "../../../lib/deps";
import { ADDRESS_STAMP } from "../../../lib/http/client-address";
import { bindRoute, createHandlers } from "../../../lib/http/route";
import { stageRuntime } from "../../support/app/staged-runtime";
import { createFakeDeps } from "../../support/fakes/fake-deps";

const contract = defineContract({
  operation: "get-prices",
  method: "GET",
  path: "/api/price",
  auth: "none",
  tag: "Public",
  summary: "As the price",
  data: z.strictObject({ usd: z.number() }),
  returnsCachedObjects: true,
  errors: [],
  exampleAnswer: { usd: 1 },
});

describe("the rate limit of a static key", () => {
  const KEY = "k".repeat(32);
  const [INSIDE, OUTSIDE] = ["203.0.113.9", "198.51.100.1"];
  const guardedContract = defineContract({ ...contract, auth: "caller", returnsCachedObjects: false });
  const quotaUserIds: string[] = [];

  function stageGuardedRoute(apiKeys: string) {
    stageRuntime(createFakeDeps(), apiKeys);
    const runtime = getRuntime();
    const { meterRequest } = runtime;
    const meteredPorts: MeteredPorts[] = [];
    runtime.meterRequest = () => {
      meteredPorts.unshift(meterRequest());
      return meteredPorts[0]!;
    };
    quotaUserIds.length = 0;
    const service = async () => {
      const { kind, id } = meteredPorts[0]!.quotaUser;
      quotaUserIds.push(`${kind} ${id}`);
      return { usd: 7 };
    };
    const { GET } = createHandlers(bindRoute(service, guardedContract));
    return async (address: string, key: string) => {
      const request = new Request("http://localhost/api/price", {
        headers: { [ADDRESS_STAMP]: address, "x-api-key": key },
      });
      const { status, headers } = await GET(request, { params: Promise.resolve({}) });
      return [status, headers.get("ratelimit-policy"), headers.get("x-ratelimit-remaining")];
    };
  }

  test("counts the key's calls from every address together, and its upstream calls too", async () => {
    const call = stageGuardedRoute(`shop:${KEY}:2`);
    expect(await call(INSIDE, KEY)).toEqual([200, '"key:shop";q=2;w=60', "1"]);
    expect(await call(OUTSIDE, KEY)).toEqual([200, '"key:shop";q=2;w=60', "0"]);
    expect((await call("192.0.2.1", KEY))[0]).toBe(429);
    expect(new Set(quotaUserIds).size).toBe(1);
    expect(quotaUserIds[0]).toMatch(/^static-key [0-9a-f]{16}$/);
  });

  test.each([
    ["by address for a wrong key", `shop:${KEY}:2`, INSIDE, `${KEY}0`],
    ["by address for a key from outside its networks", `shop:${KEY}:2@203.0.113.0/24`, OUTSIDE, KEY],
  ])("counts a call that is refused %s", async (_caseName, apiKeys, address, key) => {
    const call = stageGuardedRoute(apiKeys);
    expect(await call(address, key)).toEqual([401, '"default";q=60;w=60', "59"]);
    expect(await call(INSIDE, KEY)).toEqual([200, '"key:shop";q=2;w=60', "1"]);
  });

  test("counts calls by address if the key has no limit, and its upstream calls by key", async () => {
    const call = stageGuardedRoute(`shop:${KEY}@203.0.113.0/24`);
    expect(await call(INSIDE, KEY)).toEqual([200, '"default";q=60;w=60', "59"]);
    expect(quotaUserIds).toEqual([expect.stringMatching(/^static-key /)]);
  });
});
