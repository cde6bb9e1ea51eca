import { ERRORS, type ErrorCode, toDocPath } from "../errors";
import type { Contract } from "./define";
import { API_VERSION } from "./version";

/* The parts of the OpenAPI document that answers share: headers and failures. */

export type Schema = Record<string, unknown>;

/** Error codes of every operation. A body is validated even for operations that take none. */
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
/** Error codes of every operation that uses the store, a node or the market. Each can fail in all three ways. */
const UPSTREAM_CODES: ErrorCode[] = ["upstream_unavailable", "upstream_invalid", "upstream_timeout"];

const getStatus = (code: ErrorCode) => ERRORS[code][0];
const getSentence = (code: ErrorCode) => ERRORS[code][1];

/** Lists every error code of an operation. Every answer that is not fixed can fail because of an upstream. */
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

/** Returns references to the headers of an answer. Only 429 and 503 have `Retry-After`. */
export const buildHeaders = (status: number): Schema =>
  Object.fromEntries(
    Object.keys(status === 429 || status === 503 ? HEADERS : HEADERS_OF_EVERY_ANSWER).map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );

export const Failure: Schema = {
  type: "object",
  required: ["ok", "error", "code", "docUrl", "requestId"],
  properties: {
    ok: { type: "boolean", const: false },
    error: { type: "string", description: "A sentence a person can act on" },
    code: {
      type: "string",
      enum: Object.keys(ERRORS),
      description: "Never changes its meaning. New codes may be added.",
    },
    docUrl: { type: "string", description: "Explains the code; a path on this origin" },
    requestId: { type: "string", description: "As in the header X-Request-Id" },
    txSignature: { type: "string", description: "The transaction that the failure concerns, base58" },
    issues: {
      type: "array",
      description: "The invalid fields",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

/** Returns the failures of an operation by status. A status with one code is described once, in the components. */
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

/**
 * Returns the components that failures share: an example of each error code, and a response for each code that is the
 * only one of its status in some operation.
 */
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
