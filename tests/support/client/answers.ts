import { homedir, tmpdir } from "node:os";
import { expect } from "vitest";
import { ERRORS, type ErrorCode } from "../../../lib/errors";
import type { Answer, Failure } from "./client";

/** Checks what every answer of the API guarantees, whatever the request. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const STACK = /\n\s+at |node_modules|\.(?:ts|tsx|mjs|cjs|js):\d+|\bnode:[a-z]+/;

/** Checks that the answer contains no stack trace and no path of this machine. */
export function expectNoLeak({ text }: Answer): void {
  expect(text).not.toMatch(STACK);
  for (const path of [process.cwd(), homedir(), tmpdir()]) {
    if (path.length > 1) expect(text).not.toContain(path);
  }
}

/** Checks the headers that every answer carries, and that the answer leaks nothing. */
export function expectGuarantees(answer: Answer): void {
  const { headers } = answer;
  expect(headers.get("x-request-id")).toMatch(UUID);
  expect(headers.get("cache-control")).toMatch(/^(?:no-store|public, max-age=\d+)$/);
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-allow-credentials")).toBeNull();
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("x-powered-by")).toBeNull();
  const [, bucket, limit] = /^"(default|options|key:[\w-]+)";q=(\d+);w=60$/.exec(
    headers.get("ratelimit-policy") ?? "",
  )!;
  if (bucket === "default") expect(limit).toBe("60");
  if (bucket === "options") expect(limit).toBe("300");
  expect(headers.get("x-ratelimit-limit")).toBe(limit);
  const remaining = headers.get("x-ratelimit-remaining");
  expect(remaining).toMatch(/^\d+$/);
  expect(Number(remaining)).toBeLessThan(Number(limit));
  expect(headers.get("x-ratelimit-reset")).toMatch(/^\d{10}$/);
  const rateLimit = new RegExp(`^"${bucket}";r=(\\d+);t=(\\d+)$`).exec(headers.get("ratelimit") ?? "");
  expect(rateLimit?.[1]).toBe(remaining);
  expect(Number(rateLimit?.[2])).toBeGreaterThanOrEqual(1);
  expect(Number(rateLimit?.[2])).toBeLessThanOrEqual(60);
  expectNoLeak(answer);
}

/** Checks for the failure envelope with this code and its status, and for all that every answer guarantees. */
export function expectFailure(
  answer: Answer,
  code: ErrorCode,
  about = "",
): asserts answer is Answer & { body: Failure } {
  const { status, body, headers } = answer;
  expect({ about, status, code: body?.code, text: answer.text }).toMatchObject({
    about,
    status: ERRORS[code][0],
    code,
  });
  expectGuarantees(answer);
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(headers.get("cache-control")).toBe("no-store");
  const { issues, txSignature: _, ...envelope } = body as Failure;
  expect(envelope).toEqual({
    ok: false,
    error: expect.any(String),
    code,
    docUrl: `/docs/errors#${code}`,
    requestId: headers.get("x-request-id"),
  });
  expect(body?.error).toMatch(/^.{10,}[.…]$/s);
  if (issues !== undefined) {
    for (const issue of issues) expect(issue).toEqual({ path: expect.any(String), message: expect.any(String) });
  }
}
