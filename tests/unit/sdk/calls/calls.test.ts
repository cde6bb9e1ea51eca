import { describe, expect, test } from "vitest";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { type Calls, type CallsOptions, createCalls } from "@/lib/sdk/calls/calls";

type Answer = Response | "lost";

const success = (data: unknown) => Response.json({ ok: true, data });
const failure = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ ok: false, error: `${code}.`, code }, { status, headers: { "x-request-id": "r1", ...headers } });

function service(answers: Answer[], options: Partial<CallsOptions> = {}) {
  const seen: { address: string; init: RequestInit }[] = [];
  const waits: number[] = [];
  const calls = createCalls({
    baseUrl: "https://roundup.example",
    clock: { now: () => 0, sleep: async (ms) => void waits.push(ms) },
    fetch: async (address, init) => {
      seen.push({ address, init });
      const answer = answers.shift() ?? "lost";
      if (answer === "lost") throw new TypeError("fetch failed");
      return answer;
    },
    ...options,
  });
  return { calls, seen, waits };
}

const failureOf = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => expect.fail("it succeeded"),
    (e) => e,
  );

describe("one call", () => {
  test("returns the data of a successful response", async () => {
    const { calls, seen } = service([success({ x: 1 })]);
    expect(await calls.get("/api/plans")).toEqual({ x: 1 });
    expect(seen[0]).toMatchObject({ address: "https://roundup.example/api/plans", init: { method: "GET" } });
  });

  test("accepts a base URL that ends with a slash", async () => {
    const { calls, seen } = service([success({})], { baseUrl: "https://roundup.example/" });
    await calls.get("/api/plans");
    expect(seen[0]!.address).toBe("https://roundup.example/api/plans");
  });

  test("follows no redirect, which would send the credentials to another host", async () => {
    const { calls, seen } = service([success({}), success({}), success({})]);
    await calls.get("/api/keys", { credentials: { "x-wallet": "w", "x-signature": "s" } });
    await calls.post("/api/roundup", {} as never);
    await calls.delete("/api/keys/1");
    expect(seen.map(({ init }) => init.redirect)).toEqual(["error", "error", "error"]);
  });

  test("sends the client's credentials with every call, or those that the call names", async () => {
    const own = { "x-api-key": "own" };
    const { calls, seen } = service([success({}), success({}), success({})], { credentials: () => own });
    await calls.post("/api/roundup", {} as never);
    await calls.get("/api/price");
    await calls.get("/api/keys", { credentials: { "x-api-key": "given" } });
    expect(seen.map(({ init }) => (init.headers as Record<string, string>)["x-api-key"])).toEqual([
      "own",
      "own",
      "given",
    ]);
  });

  test("keeps every detail of the service's error", async () => {
    const body = { ok: false, error: "No.", code: "simulation_failed", txSignature: "s", issues: [] };
    const answer = Response.json(body, { status: 422, headers: { "x-request-id": "r1", "retry-after": "3" } });
    const error = await failureOf(service([answer]).calls.get("/api/plans"));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: "simulation_failed",
      message: "No.",
      status: 422,
      requestId: "r1",
      txSignature: "s",
      retryAfter: 3,
      retryAfterMs: 3_000,
    });
  });

  test.each([
    ["HTML", new Response("<h1>Forbidden</h1>", { status: 403 })],
    ["JSON in another format", Response.json({ code: "waf", message: "blocked" }, { status: 403 })],
    ["an empty body", new Response(null, { status: 502 })],
  ])("reports %s as unreadable, not as an error of the service", async (_what, answer) => {
    const { status } = answer;
    expect(await failureOf(service([answer]).calls.get("/api/plans"))).toMatchObject({ code: "unreadable", status });
  });

  test("reports a lost connection as offline, with status 0", async () => {
    expect(await failureOf(service(["lost"]).calls.get("/api/plans"))).toMatchObject({ code: "offline", status: 0 });
  });
});

describe("retries", () => {
  test("happen only when they are enabled", async () => {
    const { calls, seen } = service([failure(429, "rate_limited"), success({})]);
    await failureOf(calls.get("/api/plans"));
    expect(seen).toHaveLength(1);
  });

  test("wait as long as the rate limit says, for every operation, because a refused call had no effect", async () => {
    const { calls, waits } = service([failure(429, "rate_limited", { "retry-after": "7" }), success({ id: "k" })], {
      maxWaitMs: 10_000,
    });
    expect(await calls.post("/api/keys/generate", {} as never)).toEqual({ id: "k" });
    expect(waits).toEqual([7000]);
  });

  test("follow a lost connection, except for operations that are not idempotent", async () => {
    const builds = service(["lost", "lost", success({})], { retries: 2 });
    await builds.calls.post("/api/wrap", {} as never);
    expect(builds.seen).toHaveLength(3);
    for (const path of ["/api/keys/generate", "/api/sandbox/airdrop", "/api/swap/execute"] as const) {
      const { calls, seen } = service(["lost", success({})], { retries: 2 });
      await failureOf(calls.post(path, {} as never));
      expect(seen, path).toHaveLength(1);
    }
    const { calls, seen } = service(["lost", success({})], { retries: 2 });
    await failureOf(calls.delete("/api/keys/k1"));
    expect(seen, "a key that is gone is not found").toHaveLength(1);
  });

  test("never follow a refusal", async () => {
    for (const answer of [failure(422, "no_route"), failure(500, "internal"), new Response("x", { status: 502 })]) {
      const { calls, seen } = service([answer, success({})], { retries: 2 });
      await failureOf(calls.get("/api/plans"));
      expect(seen).toHaveLength(1);
    }
  });

  test("continue for a rate-limited call within maxWaitMs, and for no other failure", async () => {
    const limited = () => failure(429, "rate_limited", { "retry-after": "7" });
    const heard: number[] = [];
    const limit = { onLimit: (ms: number) => void heard.push(ms), maxWaitMs: 10_000 };
    const { calls, waits } = service([...Array.from({ length: 9 }, limited), success(1)], limit);
    expect(await calls.post("/api/swap/execute", {} as never)).toBe(1);
    expect([heard.length, heard[0], waits.length, waits[0]]).toEqual([9, 7_000, 9, 7_000]);
    const other = service([failure(503, "upstream_unavailable"), success(1)], limit);
    expect(await failureOf(other.calls.get("/api/price"))).toMatchObject({ code: "upstream_unavailable" });
    expect(await failureOf(service(["lost"], limit).calls.get("/api/price"))).toMatchObject({ code: "offline" });
  });

  test("wait for the rate limit no longer than maxWaitMs in all, and then name the time of the next call", async () => {
    let now = 0;
    const sleep = async (ms: number) => {
      now += ms;
    };
    const clock = { now: () => now, sleep };
    const limited = (seconds: number) => failure(429, "rate_limited", { "retry-after": `${seconds}` });
    const heard: number[] = [];
    const limit = { onLimit: (ms: number) => void heard.push(ms), maxWaitMs: 10_000, clock };
    const { calls } = service([limited(6), limited(4), limited(43), limited(43)], limit);
    const error = await failureOf(calls.get("/api/price"));
    expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 43_000 });
    expect([now, heard]).toEqual([10_000, [6_000, 4_000, 43_000]]);
    await failureOf(calls.get("/api/price"));
    expect(now, "a wait that is too long does not begin").toBe(10_000);
  });

  test("stop after the configured number", async () => {
    const { calls, seen } = service(["lost", "lost", "lost", "lost"], { retries: 2 });
    expect(await failureOf(calls.get("/api/plans"))).toMatchObject({ code: "offline" });
    expect(seen).toHaveLength(3);
  });
});

describe("an abort", () => {
  const never = () => new Promise<never>(() => {});

  test.each([
    ["while the service does not answer", { fetch: never }],
    ["while the rate limit lasts", { clock: { now: () => 0, sleep: never }, maxWaitMs: 60_000 }],
  ])("%s ends the call at once as an AbortError, and no retry follows", async (_when, options) => {
    const limited = () => failure(429, "rate_limited", { "retry-after": "43" });
    const { calls, seen } = service([limited(), limited()], { retries: 3, ...options });
    const controller = new AbortController();
    const call = failureOf(calls.get("/api/price", { signal: controller.signal }));
    await Promise.resolve();
    controller.abort();
    expect((await call).name).toBe("AbortError");
    expect(seen.length).toBeLessThanOrEqual(1);
  });

  test("before the call sends nothing", async () => {
    const { calls, seen } = service([success({})]);
    expect((await failureOf(calls.get("/api/price", { signal: AbortSignal.abort() }))).name).toBe("AbortError");
    expect(seen).toEqual([]);
  });
});

test("the types join each path with its own body and answer", () => {
  const check = (calls: Calls, address: string) => [
    async () => (await calls.get("/api/price")).prices.SOL,
    async () => (await calls.get(`/api/portfolio/${address}`)).totalUsd,
    async () => (await calls.get(`/api/activity/${address}?limit=5`)).items,
    () => calls.post("/api/topup", { amountUsd: 5, userPubkey: address, serviceWalletPubkey: address }),
    // @ts-expect-error the answer of another path
    async () => (await calls.get("/api/price")).totalUsd,
    // @ts-expect-error the body of another path
    () => calls.post("/api/roundup", { amountUsd: 5, userPubkey: address, serviceWalletPubkey: address }),
    // @ts-expect-error a path that the service does not have
    () => calls.get("/api/portfolios"),
    // @ts-expect-error another method
    () => calls.get("/api/topup"),
  ];
  expect(check).toBeTypeOf("function");
});
