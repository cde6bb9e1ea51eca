import { z } from "zod";
import { ERRORS, type ErrorCode, toDocPath } from "../errors";
import type { Contract } from "./define";
import { API_VERSION } from "./version";

/* Headers and failures of answers in the OpenAPI document. */

export type Schema = Record<string, unknown>;

/** A body is validated even for operations that take none. */
const CODES_OF_EVERY_OPERATION: ErrorCode[] = [
  "invalid_request",
  "network_mismatch",
  "invalid_json",
  "request_timeout",
  "body_too_large",
  "unsupported_media_type",
  "rate_limited",
  "headers_too_large",
  "internal",
];
const AUTH_CODES: ErrorCode[] = ["credentials_missing", "credentials_invalid"];
/** The store, a node and the market can each fail in all three ways. */
const UPSTREAM_CODES: ErrorCode[] = ["upstream_unavailable", "upstream_invalid", "upstream_timeout"];

const getStatus = (code: ErrorCode) => ERRORS[code][0];
const getSentence = (code: ErrorCode) => ERRORS[code][1];

/** Every answer that is not fixed can fail because of an upstream. */
export function listErrorCodes({ auth, isFixed, errors }: Contract): ErrorCode[] {
  const codes = [
    ...CODES_OF_EVERY_OPERATION,
    ...(auth === "none" ? [] : AUTH_CODES),
    ...(isFixed ? [] : UPSTREAM_CODES),
    ...errors,
  ];
  return [...new Set(codes)];
}

const createHeader = (description: string, example: string | number): Schema => ({
  description,
  schema: { type: typeof example === "number" ? "integer" : "string" },
  example,
});

export const HEADERS: Record<string, Schema> = {
  "X-Request-Id": createHeader(
    "Id of the request. Quote it when you report a problem.",
    "5f0c1c58-6f0e-4a3f-9c5e-0b8a6c1f2d3e",
  ),
  "Roundup-Version": createHeader("Version of the API.", API_VERSION),
  "X-RateLimit-Limit": createHeader("Calls allowed in any rolling minute.", 60),
  "X-RateLimit-Remaining": createHeader("Calls left at this moment.", 59),
  "X-RateLimit-Reset": createHeader("When the oldest counted call leaves the window, Unix seconds.", 1795406703),
  RateLimit: createHeader("The bucket, calls left (r), and seconds until one is free (t).", '"default";r=59;t=60'),
  "RateLimit-Policy": createHeader("The bucket, its limit (q), and its window in seconds (w).", '"default";q=60;w=60'),
  "Retry-After": createHeader("Seconds to wait before a retry.", 5),
};
const { "Retry-After": _retryAfter, ...HEADERS_OF_EVERY_ANSWER } = HEADERS;

/** Only 429 and 503 have `Retry-After`. */
export const buildHeaders = (status: number): Schema =>
  Object.fromEntries(
    Object.keys(status === 429 || status === 503 ? HEADERS : HEADERS_OF_EVERY_ANSWER).map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );

export const Failure = z.object({
  ok: z.literal(false),
  error: z.string().describe("A sentence a person can act on"),
  code: z.enum(Object.keys(ERRORS)).describe("Never changes its meaning. New codes may be added."),
  docUrl: z.string().describe("Explains the code; a path on this origin"),
  requestId: z.string().describe("As in the header X-Request-Id"),
  txSignature: z.string().optional().describe("The transaction that the failure concerns, base58"),
  issues: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .describe("The invalid fields"),
});

/** By status. A status with one code is described once, in the components. */
export function buildFailures(contract: Contract): Schema {
  const codesByStatus = new Map<number, ErrorCode[]>();
  for (const code of listErrorCodes(contract)) {
    const status = getStatus(code);
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...codesByStatus].map(([status, codes]) => [
      String(status),
      codes.length === 1 ? { $ref: `#/components/responses/${codes[0]}` } : buildFailure(status, codes),
    ]),
  );
}

function buildFailure(status: number, codes: ErrorCode[]): Schema {
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers: buildHeaders(status),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Failure" },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** An example of each error code, and a response for each code that is the only one of its status in some operation. */
export function buildFailureComponents(contracts: readonly Contract[]): Schema {
  const codesByOperation = contracts.map(listErrorCodes);
  const codes = [...new Set(codesByOperation.flat())].sort();
  const examples = Object.fromEntries(
    codes.map((code) => [code, { summary: getSentence(code), value: createFailureExample(code) }]),
  );
  const singleCodes = codes.filter((code) =>
    codesByOperation.some(
      (operationCodes) =>
        operationCodes.includes(code) &&
        operationCodes.every((otherCode) => otherCode === code || getStatus(otherCode) !== getStatus(code)),
    ),
  );
  return {
    examples,
    responses: Object.fromEntries(singleCodes.map((code) => [code, buildFailure(getStatus(code), [code])])),
  };
}

const createFailureExample = (code: ErrorCode) => ({
  ok: false,
  error: getSentence(code),
  code,
  docUrl: toDocPath(code),
  requestId: "5f0c1c58-6f0e-4a3f-9c5e-0b8a6c1f2d3e",
  ...(code === "invalid_request" && {
    issues: [{ path: "plan", message: "must be one of seed, sprout, tree, forest" }],
  }),
});
