import { expect } from "vitest";
import { ERRORS, type ErrorCode } from "../../../lib/errors";
import type { Answer, Failure } from "./client";

/** Expects a failure with this code and its status. @param about text that a failed assertion shows */
export function expectFailure(
  answer: Answer,
  code: ErrorCode,
  about = "",
): asserts answer is Answer & { body: Failure } {
  const { status, body, text } = answer;
  expect({ about, status, code: body?.code, text }).toMatchObject({ about, status: ERRORS[code][0], code });
}
