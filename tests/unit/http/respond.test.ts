import { describe, expect, test } from "vitest";
import { AppError, ERRORS, type ErrorCode, toDocPath } from "../../../lib/errors";
import { respondError } from "../../../lib/http/respond";

const respondParsed = (thrown: unknown) => {
  const { status, headers, body } = respondError(thrown, "request-1", { "x-request-id": "request-1" });
  return { status, headers, body: JSON.parse(body!) };
};
/** Returns the body of a failure without details. */
const createBody = (code: ErrorCode, error: string = ERRORS[code][1]) => {
  return { ok: false, error, code, docUrl: toDocPath(code), requestId: "request-1" };
};

describe("a failure", () => {
  test.each([
    ["an Error", new Error("/srv/app/secret.ts: password")],
    ["an error of an upstream", Object.assign(new TypeError("fetch failed"), { cause: new Error("https://key@host") })],
    ["a text", "secret"],
    ["undefined", undefined],
    ["an object with a code", { code: "fee_missing", status: 200, message: "secret" }],
  ])("is a plain 500 for %s that is not an AppError", (_caseName, thrown) => {
    const { status, body } = respondParsed(thrown);
    expect([status, body]).toEqual([500, createBody("internal")]);
  });

  test("sends the caller's details but not the cause", () => {
    const details = { issues: [{ path: "a", message: "b" }], txSignature: "5sig" };
    const headerDetails = { retryAfterSeconds: 1.2, allow: "GET, HEAD" };
    const cause = new Error("secret");
    const error = new AppError("transaction_failed", { message: "It failed.", ...details, ...headerDetails, cause });
    const { headers, body } = respondParsed(error);
    expect(body).toEqual({ ...createBody("transaction_failed", "It failed."), ...details });
    expect(headers).toMatchObject({ "retry-after": "2", allow: "GET, HEAD" });
  });

  test("is recognized as an AppError of another module instance", () => {
    const members = { [Symbol.for("roundup.app-error")]: true, code: "fee_missing", status: 403, details: {} };
    const otherInstanceError = Object.assign(new Error("Send something."), members);
    expect(otherInstanceError).toBeInstanceOf(AppError);
    const body = createBody("fee_missing", "Send something.");
    expect(respondParsed(otherInstanceError)).toMatchObject({ status: 403, body });
  });
});
