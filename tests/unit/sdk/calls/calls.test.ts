import { describe, expect, test } from "vitest";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import { type ApiClientOptions, type Calls, createCalls } from "@/lib/sdk/calls/calls";

type Answer = Response | "lost";

const createSuccess = (data: unknown) => Response.json({ ok: true, data });
const createFailure = (status: number, code: string, headers?: Record<string, string>) =>
  Response.json({ ok: false, error: `${code}.`, code }, { status, headers });

function createService(answers: Answer[], options: Partial<ApiClientOptions> = {}) {
  const requests: { address: string; init: RequestInit }[] = [];
  const waits: number[] = [];
  const announcedWaits: number[] = [];
  const now = () => waits.reduce((sum, ms) => sum + ms, 0);
  const calls = createCalls({
    baseUrl: "https://roundup.example",
    clock: { now, sleep: async (ms) => void waits.push(ms) },
    onLimit: (ms) => void announcedWaits.push(ms),
    fetch: async (address, init) => {
      requests.push({ address, init });
      const answer = answers.shift() ?? "lost";
      if (answer === "lost") throw new TypeError("fetch failed");
      return answer;
    },
    ...options,
  });
  return { calls, requests, waits, announcedWaits };
}

const catchError = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => expect.fail("it succeeded"),
    (error) => error,
  );

const createRateLimit = (seconds: number) => createFailure(429, "rate_limited", { "retry-after": `${seconds}` });

describe("a call", () => {
  test("follows no redirect, which would send the credentials to another host", async () => {
    const { calls, requests } = createService([createSuccess({}), createSuccess({}), createSuccess({})]);
    await calls.get("/api/keys", { credentials: { "x-wallet": "w", "x-signature": "s" } });
    await calls.post("/api/roundup", {} as never);
    await calls.delete("/api/keys/1");
    expect(requests.map(({ init }) => init.redirect)).toEqual(["error", "error", "error"]);
  });

  test("uses the client's credentials unless the call names others", async () => {
    const clientCredentials = { "x-api-key": "client" };
    const answers = [createSuccess({}), createSuccess({}), createSuccess({})];
    const { calls, requests } = createService(answers, { credentials: () => clientCredentials });
    await calls.post("/api/roundup", {} as never);
    await calls.get("/api/price");
    await calls.get("/api/keys", { credentials: { "x-api-key": "call" } });
    const sentKeys = requests.map(({ init }) => (init.headers as Record<string, string>)["x-api-key"]);
    expect(sentKeys).toEqual(["client", "client", "call"]);
  });

  test.each([
    ["HTML", new Response("<h1>Forbidden</h1>", { status: 403 })],
    ["JSON in another format", Response.json({ code: "waf", message: "blocked" }, { status: 403 })],
    ["an empty body", new Response(null, { status: 502 })],
  ])("reports %s as unreadable, not as an error of the service", async (_caseName, answer) => {
    const error = await catchError(createService([answer]).calls.get("/api/plans"));
    expect(error).toMatchObject({ code: "unreadable", status: answer.status });
  });

  test("reports a lost connection as offline, with status 0", async () => {
    const error = await catchError(createService(["lost"]).calls.get("/api/plans"));
    expect(error).toMatchObject({ code: "offline", status: 0 });
  });
});

describe("retries", () => {
  test.each<[string, Answer, number | undefined]>([
    ["the rate limit, unless enabled", createFailure(429, "rate_limited"), undefined],
    ["a lost connection, unless enabled", "lost", undefined],
    ["a refusal", createFailure(422, "no_route"), 2],
    ["an internal error", createFailure(500, "internal"), 2],
    ["a proxy's error", new Response("x", { status: 502 }), 2],
  ])("do not follow %s", async (_caseName, answer, retries) => {
    const { calls, requests } = createService([answer, createSuccess({})], { retries });
    await catchError(calls.get("/api/plans"));
    expect(requests).toHaveLength(1);
  });

  test("follow a lost connection, except for operations that are not idempotent", async () => {
    const builds = createService(["lost", "lost", createSuccess({})], { retries: 2 });
    await builds.calls.post("/api/wrap", {} as never);
    expect(builds.requests).toHaveLength(3);
    for (const path of ["/api/keys/generate", "/api/sandbox/airdrop", "/api/swap/execute"] as const) {
      const { calls, requests } = createService(["lost", createSuccess({})], { retries: 2 });
      await catchError(calls.post(path, {} as never));
      expect(requests, path).toHaveLength(1);
    }
    const { calls, requests } = createService(["lost", createSuccess({})], { retries: 2 });
    await catchError(calls.delete("/api/keys/k1"));
    expect(requests, "a retry after a revocation would get 404").toHaveLength(1);
  });

  test("continue within maxWaitMs for every operation, but only after a rate-limited answer", async () => {
    const rateLimits = Array.from({ length: 9 }, () => createRateLimit(7));
    const { calls, waits, announcedWaits } = createService([...rateLimits, createSuccess(1)], { maxWaitMs: 63_000 });
    expect(await calls.post("/api/swap/execute", {} as never)).toBe(1);
    expect([announcedWaits, waits]).toEqual([Array(9).fill(7_000), Array(9).fill(7_000)]);
    for (const answer of [createFailure(503, "upstream_unavailable"), "lost"] as const) {
      const { calls: failingCalls, requests } = createService([answer, createSuccess(1)], { maxWaitMs: 63_000 });
      await catchError(failingCalls.get("/api/price"));
      expect(requests).toHaveLength(1);
    }
  });

  test("wait for the rate limit at most maxWaitMs in all", async () => {
    const rateLimits = [6, 4, 43, 43].map(createRateLimit);
    const { calls, waits, announcedWaits } = createService(rateLimits, { maxWaitMs: 10_000 });
    const error = await catchError(calls.get("/api/price"));
    expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 43_000 });
    expect(announcedWaits).toEqual([6_000, 4_000, 43_000]);
    await catchError(calls.get("/api/price"));
    expect(waits, "a wait that is too long does not begin").toEqual([6_000, 4_000]);
  });
});

describe("an abort", () => {
  const waitForever = () => new Promise<never>(() => {});

  test.each([
    ["while the service does not answer", { fetch: waitForever }],
    ["while the rate limit lasts", { clock: { now: () => 0, sleep: waitForever }, maxWaitMs: 60_000 }],
  ])("%s ends the call at once with an AbortError", async (_caseName, options) => {
    const { calls, requests } = createService([43, 43].map(createRateLimit), { retries: 3, ...options });
    const controller = new AbortController();
    const call = catchError(calls.get("/api/price", { signal: controller.signal }));
    await Promise.resolve();
    controller.abort();
    expect((await call).name).toBe("AbortError");
    expect(requests.length).toBeLessThanOrEqual(1);
  });

  test("before the call sends nothing", async () => {
    const { calls, requests } = createService([createSuccess({})]);
    expect((await catchError(calls.get("/api/price", { signal: AbortSignal.abort() }))).name).toBe("AbortError");
    expect(requests).toEqual([]);
  });
});

test("the types accept only a path's own method, body and answer", () => {
  const listTypedCalls = (calls: Calls, address: string) => [
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
  expect(listTypedCalls).toBeTypeOf("function");
});
