import nacl from "tweetnacl";
import { describe, expect, inject, test } from "vitest";
import { expectFailure, expectHouseRules } from "../support/client/answers";
import { type Answer, type CallOptions, call, get, newAddress, newWallet, post } from "../support/client/client";
import { OPERATIONS } from "../support/client/operations";
import { rawCall } from "../support/client/raw-http";

const LIMIT = 60;

const isServer = inject("door") === "server";
/** Tests of the counter itself, which both servers share. Through Next the tests of the caller's address are enough. */
const counterTest = test.runIf(isServer);

/** Uses up the rest of an address's minute in parallel. */
const exhaust = (address: string, calls = LIMIT) =>
  Promise.all(Array.from({ length: calls }, () => get("/api/plans", { address })));

const remaining = ({ headers }: Answer) => Number(headers.get("x-ratelimit-remaining"));
const _hex = () => Buffer.from(nacl.randomBytes(2)).toString("hex").replace(/^0+/, "") || "1";

function expectRefused(answer: Answer): void {
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
  const answers = await exhaust(newAddress(), 100);
  expect(answers.filter(({ status }) => status === 200).length).toBe(LIMIT);
  for (const answer of answers) if (answer.status !== 200) expectRefused(answer);
});

counterTest("counts every endpoint, method and outcome: 404, 405, 400, 401, 413, 415 and HEAD", async () => {
  const address = newAddress();
  const wallet = await newWallet();
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
    ["POST", "/api/roundup", { raw: "x", headers: wallet.headers }, 415],
    ["POST", "/api/roundup", { body: { a: "b".repeat(20_000) }, headers: wallet.headers }, 413],
    ["POST", "/api/roundup", { body: { txValueUsd: 1 }, headers: wallet.headers }, 200],
    ["GET", "/api/health?probe=live", {}, 200],
    ["GET", "/api/openapi.json", {}, 200],
  ];
  for (let round = 0; round < LIMIT / calls.length; round++) {
    for (const [i, [method, path, options, status]] of calls.entries()) {
      const answer = await call(method, path, { ...options, address });
      expect({ method, path, status: answer.status }).toEqual({ method, path, status });
      expect(remaining(answer)).toBe(LIMIT - 1 - round * calls.length - i);
    }
  }
  for (const [method, path, options] of calls) {
    const answer = await call(method, path, { ...options, address });
    if (method !== "HEAD") expectRefused(answer);
    else {
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 429, text: "" });
      expectHouseRules(answer);
    }
  }
});

counterTest("OPTIONS requests have 300 a minute of their own, and use up none of the 60", async () => {
  const address = newAddress();
  const preflights = await Promise.all(Array.from({ length: 301 }, () => call("OPTIONS", "/api/wrap", { address })));
  expect(preflights.filter(({ status }) => status === 204).length).toBe(300);
  const refused = preflights.find(({ status }) => status !== 204)!;
  expectFailure(refused, "rate_limited");
  expect(refused.headers.get("ratelimit-policy")).toBe('"options";q=300;w=60');
  expect(remaining(await get("/api/plans", { address }))).toBe(LIMIT - 1);
});

counterTest("a static key with its own limit counts by key, and only in its networks", async () => {
  const headers = { "x-api-key": inject("doors").limitedKey };
  const roundUp = (address: string) => post("/api/roundup", { txValueUsd: 1 }, { address, headers });
  const outside = await roundUp(newAddress());
  expectFailure(outside, "credentials_invalid");
  expect([remaining(outside), outside.headers.get("ratelimit-policy")]).toEqual([LIMIT - 1, '"default";q=60;w=60']);
  for (let left = 3; left >= 0; left--) {
    const answer = await roundUp(`198.18.0.${left}`);
    expect({ status: answer.status, left: remaining(answer) }).toEqual({ status: 200, left });
    expect(answer.headers.get("ratelimit-policy")).toBe('"key:shop";q=4;w=60');
  }
  const refused = await roundUp("198.18.1.1");
  expectFailure(refused, "rate_limited");
  expect(refused.body.error).toMatch(/4 a minute/);
  expect(remaining(await get("/api/plans", { address: "198.18.1.1" }))).toBe(LIMIT - 1);
});

counterTest("refuses every operation above the limit, before it reads credentials and body", async () => {
  const address = newAddress();
  const wallet = await newWallet();
  await exhaust(address);
  for (const { method, path, body } of OPERATIONS) {
    expectRefused(await call(method, path, { body, address, headers: wallet.headers }));
    expectRefused(await call(method, path, { body, address, headers: { "x-api-key": "wrong" } }));
  }
});

counterTest("a refused request has no effect", async () => {
  const address = newAddress();
  const { headers } = await newWallet();
  await exhaust(address);
  for (let i = 0; i < 3; i++) expectRefused(await post("/api/keys/generate", {}, { address, headers }));
  expect((await get("/api/keys", { headers })).body?.data?.keys).toEqual([]);
});

counterTest(
  "credentials do not raise the limit: calls with a wallet, with a key and without either share one address's minute",
  async () => {
    const address = newAddress();
    const { headers } = await newWallet();
    const key = { "x-api-key": inject("doors").apiKey };
    const body = { txValueUsd: 1 };
    for (let i = 0; i < LIMIT / 3; i++) {
      expect((await post("/api/roundup", body, { address, headers })).status).toBe(200);
      expect((await post("/api/roundup", body, { address, headers: key })).status).toBe(200);
      expect((await get("/api/plans", { address })).status).toBe(200);
    }
    expectRefused(await post("/api/roundup", body, { address, headers }));
    expectRefused(await post("/api/roundup", body, { address, headers: key }));
  },
);

counterTest("other addresses are unaffected, even with the same wallet", async () => {
  const { headers } = await newWallet();
  const address = newAddress();
  await exhaust(address);
  expectRefused(await post("/api/roundup", { txValueUsd: 1 }, { address, headers }));
  for (const other of [newAddress(), newAddress()]) {
    const answer = await post("/api/roundup", { txValueUsd: 1 }, { address: other, headers });
    expect({ status: answer.status, left: remaining(answer) }).toEqual({ status: 200, left: LIMIT - 1 });
  }
});

describe("a forged X-Forwarded-For", () => {
  /** Options of a call with a forged entry, to the left of the entry that the front proxy appends. */
  const behind = (address: string, forged: string): CallOptions => {
    return { address, headers: { "x-forwarded-for": isServer ? `${forged}, ${address}` : forged } };
  };

  test("gives no new minute: only the proxy's entry counts", async () => {
    const address = newAddress();
    for (let i = 0; i < LIMIT; i++) {
      const answer = await get(
        "/api/plans",
        behind(address, i % 2 ? newAddress() : `${newAddress()}, ${newAddress()}`),
      );
      expect({ status: answer.status, left: remaining(answer) }).toEqual({ status: 200, left: LIMIT - 1 - i });
    }
    for (const forged of [newAddress(), "unknown", ", , ,", "::1", address.replace(/\d+$/, "7")]) {
      expectRefused(await get("/api/plans", behind(address, forged)));
    }
  });

  test("does not use up a different address's minute", async () => {
    const [attacker, victim] = [newAddress(), newAddress()];
    await Promise.all(Array.from({ length: 70 }, () => get("/api/plans", behind(attacker, victim))));
    expect(remaining(await get("/api/plans", { address: victim }))).toBe(LIMIT - 1);
  });

  test("other proxy headers have no effect either", async () => {
    const address = newAddress();
    await exhaust(address);
    const names = [
      "x-real-ip",
      "x-client-ip",
      "cf-connecting-ip",
      "true-client-ip",
      "x-vercel-forwarded-for",
      "forwarded",
    ];
    for (const name of [...names, "x-roundup-client-address", "x-forwarded-host", "x-cluster-client-ip"]) {
      const value = name === "forwarded" ? `for=${newAddress()}` : newAddress();
      expectRefused(await get("/api/plans", { address, headers: { [name]: value } }));
    }
  });
});

test("counts calls without a readable address together, so hiding the address does not avoid the limit", async () => {
  const unreadable = ["unknown", "999.1.1.1", "1.2.3", "::g", "_hidden", "10.0.0.1:80:90"];
  const answers: Answer[] = [];
  for (let i = 0; i <= LIMIT; i++)
    answers.push(await get("/api/plans", { address: unreadable[i % unreadable.length]! }));
  expectRefused(answers.at(-1)!);
  if (isServer) expectRefused(await rawCall("GET", "/api/plans", { address: null }));
  expect((await get("/api/plans")).status).toBe(200);
});
