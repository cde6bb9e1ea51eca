import { describe, expect, test } from "vitest";
import { AppError, ERRORS, type ErrorCode, toDocUrl } from "../../../lib/errors";
import * as outgoing from "../../../lib/http/respond";
import { toResponse } from "../../../lib/http/web-door";

const respondData = (...args: Parameters<typeof outgoing.respondData>) =>
  toResponse("GET", outgoing.respondData(...args));
const respondError = (...args: Parameters<typeof outgoing.respondError>) =>
  toResponse("GET", outgoing.respondError(...args));

const codes = Object.keys(ERRORS) as ErrorCode[];
const sendFailure = async (thrown: unknown) => {
  const response = respondError(thrown, "request-1", { "x-request-id": "request-1" });
  return { status: response.status, headers: response.headers, body: await response.json() };
};

describe("a failure", () => {
  test.each(codes)("sends the status, code and message of %s in the envelope, uncached", async (code) => {
    const { status, headers, body } = await sendFailure(new AppError(code));
    expect(status).toBe(ERRORS[code][0]);
    expect(body).toEqual({ ok: false, error: ERRORS[code][1], code, docUrl: toDocUrl(code), requestId: "request-1" });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-request-id")).toBe("request-1");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(headers.has("retry-after")).toBe(status === 503);
  });

  test("has a code in snake case and a sentence as message", () => {
    for (const code of codes) {
      expect(code).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
      expect(ERRORS[code][1]).toMatch(/^[A-Z].*\.$/);
    }
  });

  test.each([
    ["an Error", new Error("/srv/app/secret.ts: password")],
    ["an error of an upstream", Object.assign(new TypeError("fetch failed"), { cause: new Error("https://key@host") })],
    ["a text", "secret"],
    ["undefined", undefined],
    ["an object with a code", { code: "fee_missing", status: 200, message: "secret" }],
  ])("is a plain 500 for %s that is not an AppError", async (_what, thrown) => {
    const { status, body } = await sendFailure(thrown);
    expect(status).toBe(500);
    expect(body).toEqual({
      ok: false,
      error: ERRORS.internal[1],
      code: "internal",
      docUrl: "/docs/errors#internal",
      requestId: "request-1",
    });
  });

  test("sends the caller's details but not the cause", async () => {
    const error = new AppError("transaction_failed", {
      message: "It failed.",
      issues: [{ path: "a", message: "b" }],
      txSignature: "5sig",
      retryAfterSeconds: 1.2,
      allow: "GET, HEAD",
      cause: new Error("secret"),
    });
    const { headers, body } = await sendFailure(error);
    expect(body).toEqual({
      ok: false,
      error: "It failed.",
      code: "transaction_failed",
      docUrl: "/docs/errors#transaction_failed",
      requestId: "request-1",
      issues: [{ path: "a", message: "b" }],
      txSignature: "5sig",
    });
    expect(headers.get("retry-after")).toBe("2");
    expect(headers.get("allow")).toBe("GET, HEAD");
  });

  test("is recognized as an AppError of another module instance", async () => {
    const foreignError = Object.assign(new Error("Send something."), {
      [Symbol.for("roundup.app-error")]: true,
      code: "fee_missing",
      status: 403,
      details: {},
    });
    expect(foreignError).toBeInstanceOf(AppError);
    expect(await sendFailure(foreignError)).toMatchObject({
      status: 403,
      body: { code: "fee_missing", error: "Send something." },
    });
  });
});

describe("a success", () => {
  const options = { status: 202, headers: { "x-request-id": "r" }, cacheControl: "no-store", isBare: false };

  test("wraps the data in the envelope with the requested status, cache rule and headers", async () => {
    const response = respondData({ a: 1 }, { ...options, cacheControl: "public, max-age=300" });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ ok: true, data: { a: 1 } });
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    expect(response.headers.get("x-request-id")).toBe("r");
  });

  test("is sent without the envelope if it is bare", async () => {
    expect(await respondData({ a: 1 }, { ...options, isBare: true }).json()).toEqual({ a: 1 });
  });
});
