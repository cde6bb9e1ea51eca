import { describe, expect, inject, test } from "vitest";
import {
  type Answer,
  type CallOptions,
  callApi,
  createCallerAddress,
  createWallet,
  get,
} from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";
import { OPERATIONS } from "../support/client/operations";

const LIMIT = 60;

const isServer = inject("serverKind") === "server";
/** Both servers share the counter. Through Next the tests of the caller's address are enough. */
const counterTest = test.runIf(isServer);

/** By default as many calls of one address as it may make in a minute. */
const callInParallel = (address: string, callCount = LIMIT) =>
  Promise.all(Array.from({ length: callCount }, () => get("/api/plans", { address })));

const readRemaining = ({ headers }: Answer) => Number(headers.get("x-ratelimit-remaining"));

function expectRateLimited(answer: Answer): void {
  expectFailure(answer, "rate_limited");
  const { headers } = answer;
  const seconds = Number(headers.get("retry-after"));
  expect(headers.get("retry-after")).toMatch(/^\d+$/);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(headers.get("x-ratelimit-remaining")).toBe("0");
  expect(headers.get("ratelimit")).toBe(`"default";r=0;t=${seconds}`);
  expect(answer.body.error).toMatch(/60 a minute/);
}

counterTest("answers exactly 60 of 100 simultaneous calls", async () => {
  const answers = await callInParallel(createCallerAddress(), 100);
  expect(answers.filter(({ status }) => status === 200).length).toBe(LIMIT);
  for (const answer of answers) if (answer.status !== 200) expectRateLimited(answer);
});

counterTest("counts calls to every endpoint with any method and status", async () => {
  const address = createCallerAddress();
  const wallet = await createWallet();
  const calls: [string, string, CallOptions, number][] = [
    ["GET", "/api/nothing", {}, 404],
    ["PATCH", "/api/nothing", {}, 404],
    ["GET", "/api/price", {}, 200],
    ["HEAD", "/api/plans", {}, 200],
    ["PUT", "/api/plans", {}, 405],
    ["DELETE", "/api/wrap", {}, 405],
    ["GET", "/api/plans?x=1", {}, 400],
    ["GET", "/api/accumulator/me", {}, 400],
    ["POST", "/api/roundup", { body: {} }, 401],
    ["POST", "/api/roundup", { body: {}, headers: { "x-api-key": "wrong" } }, 401],
    ["POST", "/api/roundup", { rawBody: "x", headers: wallet.headers }, 415],
    ["POST", "/api/roundup", { body: { a: "b".repeat(20_000) }, headers: wallet.headers }, 413],
    ["POST", "/api/roundup", { body: { txValueUsd: 1 }, headers: wallet.headers }, 200],
    ["GET", "/api/health", {}, 200],
    ["GET", "/api/openapi.json", {}, 200],
  ];
  for (let round = 0; round < LIMIT / calls.length; round++) {
    for (const [i, [method, path, options, status]] of calls.entries()) {
      const answer = await callApi(method, path, { ...options, address });
      expect({ method, path, status: answer.status }).toEqual({ method, path, status });
      expect(readRemaining(answer)).toBe(LIMIT - 1 - round * calls.length - i);
    }
  }
  for (const [method, path, options] of calls) {
    const answer = await callApi(method, path, { ...options, address });
    if (method === "HEAD") expect(answer.status).toBe(429);
    else expectRateLimited(answer);
  }
});

counterTest("answers health probes of an address that has no call left, 300 a minute", async () => {
  const address = createCallerAddress();
  await callInParallel(address);
  expectRateLimited(await get("/api/health", { address }));
  const probes = [
    ["GET", "/api/health?probe=live"],
    ["GET", "/api/health?probe=ready"],
    ["HEAD", "/api/health"],
    ["HEAD", "/api/health?probe=live"],
  ] as const;
  for (const [i, [method, path]] of probes.entries()) {
    const { status, headers } = await callApi(method, path, { address });
    expect({ method, path, status }).toEqual({ method, path, status: 200 });
    expect(headers.get("ratelimit-policy")).toBe('"probe";q=300;w=60');
    expect(headers.get("x-ratelimit-remaining")).toBe(String(299 - i));
  }
  const sendProbe = () => get("/api/health?probe=live", { address });
  const answers = await Promise.all(Array.from({ length: 300 }, sendProbe));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(300 - probes.length);
  // Neither kind of call uses up the other's limit.
  const other = createCallerAddress();
  await get("/api/health?probe=live", { address: other });
  expect(readRemaining(await get("/api/plans", { address: other }))).toBe(LIMIT - 1);
});

counterTest("refuses every operation above the limit before it reads credentials or the body", async () => {
  const address = createCallerAddress();
  const wallet = await createWallet();
  await callInParallel(address);
  for (const { method, path, body } of OPERATIONS) {
    expectRateLimited(await callApi(method, path, { body, address, headers: wallet.headers }));
    expectRateLimited(await callApi(method, path, { body, address, headers: { "x-api-key": "wrong" } }));
  }
});

describe("a forged X-Forwarded-For", () => {
  /** The forged entry is to the left of the front proxy's. */
  const forgeEntry = (address: string, forged: string): CallOptions => ({
    address,
    headers: { "x-forwarded-for": isServer ? `${forged}, ${address}` : forged },
  });

  test("does not give the caller a new limit", async () => {
    const address = createCallerAddress();
    for (let i = 0; i < LIMIT; i++) {
      const forged = i % 2 ? createCallerAddress() : `${createCallerAddress()}, ${createCallerAddress()}`;
      const answer = await get("/api/plans", forgeEntry(address, forged));
      expect({ status: answer.status, left: readRemaining(answer) }).toEqual({ status: 200, left: LIMIT - 1 - i });
    }
    for (const forged of [createCallerAddress(), "unknown", ", , ,", "::1", address.replace(/\d+$/, "7")]) {
      expectRateLimited(await get("/api/plans", forgeEntry(address, forged)));
    }
  });
});
