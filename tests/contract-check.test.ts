import { describe, expect, test } from "vitest";
import { CONTRACTS } from "../lib/contracts";
import type { Contract } from "../lib/contracts/define";
import { listErrorCodes } from "../lib/contracts/openapi-answers";
import { AppError, ERRORS, type ErrorCode } from "../lib/errors";
import type { OutgoingResponse } from "../lib/http/message";
import { respondData, respondError } from "../lib/http/respond";
import { checkAnswer } from "./support/client/contract-check";

/* Every test response passes through this check. It must refuse what contracts do not allow. */

const REQUEST_ID = "01234567-89ab-4cde-8f01-23456789abcd";
const HEADERS = {
  "x-request-id": REQUEST_ID,
  "x-ratelimit-limit": "60",
  "x-ratelimit-remaining": "59",
  "x-ratelimit-reset": "1790000000",
  ratelimit: '"default";r=59;t=60',
  "ratelimit-policy": '"default";q=60;w=60',
};

type Overrides = { status?: number; headers?: Record<string, string>; body?: Record<string, unknown> };

function checkResponse(method: string, path: string, response: OutgoingResponse, overrides: Overrides = {}) {
  checkAnswer(method, path, {
    status: overrides.status ?? response.status,
    headers: new Headers({ ...response.headers, ...overrides.headers }),
    text: JSON.stringify({ ...JSON.parse(response.body!), ...overrides.body }),
  });
}

function checkFailure(method: string, path: string, code: ErrorCode, overrides?: Overrides) {
  const error = new AppError(code, { retryAfterSeconds: 7 });
  checkResponse(method, path, respondError(error, REQUEST_ID, HEADERS), overrides);
}

function checkSuccess(contract: Contract, overrides?: Overrides) {
  const { method, path, exampleAnswer, statuses, hasNoEnvelope = false, cacheControl = "no-store" } = contract;
  const status = statuses?.chooseStatus(exampleAnswer) ?? 200;
  const response = respondData(exampleAnswer, { status, headers: HEADERS, cacheControl, hasNoEnvelope });
  checkResponse(method, path, response, overrides);
}

describe.each(CONTRACTS)("$operation", (contract: Contract) => {
  const path = contract.path.replace(/\{\w+\}/g, "x");

  test("accepts its example answer and each of its documented failures", () => {
    checkSuccess(contract);
    for (const code of listErrorCodes(contract)) checkFailure(contract.method, path, code);
  });

  test("refuses every code that it does not document", () => {
    const documentedCodes = listErrorCodes(contract);
    for (const code of (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !documentedCodes.includes(code)))
      expect(() => checkFailure(contract.method, path, code), code).toThrow(`${code} is not documented`);
  });
});

test("every operation without a fixed answer documents all three upstream failures", () => {
  for (const contract of CONTRACTS as readonly Contract[]) {
    const upstreamCodes = listErrorCodes(contract).filter((code) => code.startsWith("upstream_"));
    expect(upstreamCodes.length, contract.operation).toBe(contract.isFixed ? 0 : 3);
  }
});

const pricesContract = CONTRACTS.find(({ operation }) => operation === "get-prices")! as Contract;

test.each<[string, Overrides, string]>([
  ["a different success status", { status: 202 }, "answered with 200"],
  ["a member beside the data", { body: { more: 1 } }, "{ ok: true, data }"],
  ["data that does not match the schema", { body: { data: {} } }, "does not match its schema"],
  ["no request id", { headers: { "x-request-id": "" } }, "x-request-id"],
  ["no rate-limit header", { headers: { "x-ratelimit-remaining": "" } }, "x-ratelimit-remaining"],
  ["a header that names the framework", { headers: { "x-powered-by": "Next.js" } }, "x-powered-by"],
  ["as many calls left as the limit allows", { headers: { "x-ratelimit-remaining": "60" } }, "x-ratelimit-remaining"],
  ["a limit that is not this bucket's", { headers: { "ratelimit-policy": '"default";q=9;w=60' } }, "ratelimit-policy"],
  ["a different content type", { headers: { "content-type": "text/html" } }, "JSON"],
  ["an undocumented cache-control", { headers: { "cache-control": "public, max-age=9" } }, "cache-control"],
])("the check refuses a success with %s", (_caseName, overrides, fault) => {
  expect(() => checkSuccess(pricesContract, overrides)).toThrow(fault);
});

test.each<[string, Overrides, string]>([
  ["a status that does not belong to its code", { status: 504 }, "answered with 503"],
  ["a code that is not in the table", { body: { code: "oops" } }, "not in the table"],
  ["the id of another request", { body: { requestId: "1" } }, "x-request-id"],
  ["a member that no envelope has", { body: { stack: "at" } }, "envelope"],
  ["issues that do not name a path", { body: { issues: [{ message: "wrong" }] } }, "issues"],
  ["a stack trace", { body: { error: "It failed.\n    at run (main.js:7:1)." } }, "it contains"],
  ["a path of this machine", { body: { error: `It failed in ${process.cwd()}.` } }, "it contains"],
  ["no Retry-After", { headers: { "retry-after": "" } }, "Retry-After"],
  ["a cache-control that allows storing it", { headers: { "cache-control": "public, max-age=9" } }, "not stored"],
])("the check refuses a failure with %s", (_caseName, overrides, fault) => {
  expect(() => checkFailure("GET", "/api/price", "upstream_unavailable", overrides)).toThrow(fault);
});

test("the check accepts only 404 and 405 for a path or method without an operation", () => {
  checkFailure("GET", "/api/nowhere", "not_found");
  checkFailure("DELETE", "/api/price", "method_not_allowed", { headers: { allow: "GET, HEAD, OPTIONS" } });
  expect(() => checkFailure("DELETE", "/api/price", "method_not_allowed")).toThrow("lists the declared ones in Allow");
  expect(() => checkFailure("GET", "/api/price", "not_found")).toThrow("not documented");
  expect(() => checkFailure("GET", "/api/nowhere", "upstream_invalid")).toThrow("not documented");
  expect(() => checkSuccess({ ...pricesContract, path: "/api/nowhere" })).toThrow("only a declared operation");
});
