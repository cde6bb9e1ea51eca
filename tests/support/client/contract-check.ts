import { homedir, tmpdir } from "node:os";
import { z } from "zod";
import { CONTRACTS } from "../../../lib/contracts";
import type { Contract } from "../../../lib/contracts/define";
import { listErrorCodes } from "../../../lib/contracts/openapi-answers";
import { ERRORS, type ErrorCode, toDocPath } from "../../../lib/errors";

/*
 * Checks a response against the contract of its operation: status, code, headers and the schema of the body. It also
 * checks the guarantees that all responses share.
 */

export interface CheckedAnswer {
  status: number;
  headers: Pick<Headers, "get" | "has">;
  text: string;
}

interface ApiPath {
  /** The path template from the contract. */
  path: string;
  pattern: RegExp;
  byMethod: Map<string, Contract>;
}

/** Lists every path of the API once. Fixed paths come first, as in the router. */
export const API_PATHS: ApiPath[] = [...new Set(CONTRACTS.map(({ path }) => path))]
  .sort((a, b) => Number(a.includes("{")) - Number(b.includes("{")))
  .map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}/?$`),
    byMethod: new Map(
      CONTRACTS.filter((contract) => contract.path === path).map((contract) => [contract.method as string, contract]),
    ),
  }));

/** The codes of failures for a path or method that no contract declares. */
const UNDECLARED_CODES: ErrorCode[] = ["not_found", "method_not_allowed", "rate_limited", "internal"];
/** The codes with which the HTTP server answers before the rate limit counts the request. */
const SERVER_CODES: ErrorCode[] = ["invalid_request", "request_timeout", "headers_too_large"];

/**
 * Checks an answer against its contract.
 * @param method null when the request was not valid HTTP
 * @param target path and query as sent; pages are not checked
 * @throws {Error} that names the broken part of the contract
 */
export function checkAnswer(method: string | null, target: string, answer: CheckedAnswer): void {
  const { pathname } = parseTarget(target);
  if (!/^\/api(?:\/|$)/.test(pathname)) return;
  const path = API_PATHS.find(({ pattern }) => pattern.test(pathname));
  const contract = path?.byMethod.get(method === "HEAD" ? "GET" : (method ?? ""));
  const faults = [
    ...findHeaderFaults(answer),
    ...findAnswerFaults(method, path, contract, answer),
    ...findLeaks(answer.text),
  ];
  if (faults.length === 0) return;
  const operation = contract?.operation ?? "no operation";
  const text = answer.text.slice(0, 1_000);
  throw new Error(
    `${method} ${target} (${operation}) broke its contract: ${faults.join("; ")}. It answered ${answer.status} ${text}`,
  );
}

/** Parses the target. Returns an unknown path for a target that is not a path, because the answers are the same. */
function parseTarget(target: string): URL {
  const isPath = /^(?:\/|https?:)/i.test(target) && URL.canParse(target, "http://localhost");
  return new URL(isPath ? target : "/api/nowhere", "http://localhost");
}

function* findAnswerFaults(
  method: string | null,
  path: ApiPath | undefined,
  contract: Contract | undefined,
  { status, headers, text }: CheckedAnswer,
): Generator<string> {
  if (method === "OPTIONS" && path) {
    if (status !== 204 && status !== 429) yield "OPTIONS is answered with 204";
    if (status === 204 && text !== "") yield "a 204 has no body";
    if (status === 204 && !headers.get("allow")) yield "OPTIONS names the methods";
    if (status === 204) return;
  }
  if (method === "HEAD") {
    if (text !== "") yield "HEAD has no body";
    if (!listStatuses(contract).includes(status)) yield `status ${status} is not documented`;
    return;
  }
  yield* findBodyFaults(contract, status, parseJson(text));
  if (status < 400) {
    const cacheControl = contract?.cacheControl ?? "no-store";
    if (headers.get("cache-control") !== cacheControl) yield `cache-control is ${cacheControl}`;
    return;
  }
  const { code, requestId } = (parseJson(text) ?? {}) as { code?: string; requestId?: string };
  if (requestId !== headers.get("x-request-id")) yield "requestId is x-request-id";
  if (headers.get("cache-control") !== "no-store") yield "a failure is not stored";
  if ((status === 429 || status === 503) && !/^[1-9]\d*$/.test(headers.get("retry-after") ?? ""))
    yield `${status} has a Retry-After header`;
  if (code === "method_not_allowed" && (contract || !headers.get("allow")))
    yield "405 is for an undeclared method and lists the declared ones in Allow";
}

/**
 * Checks the answer of a service that was called without its route.
 * @throws {Error} that names the broken part of the contract
 */
export function checkBody(contract: Contract, status: number, body: unknown): void {
  const [fault] = findBodyFaults(contract, status, body);
  if (fault) throw new Error(`${contract.operation} broke its contract: ${fault}`);
}

/** Lists faults of status, code and body. @param contract undefined when no contract declares the operation */
function* findBodyFaults(contract: Contract | undefined, status: number, body: unknown): Generator<string> {
  if (status < 400) yield* findDataFaults(contract, status, body);
  else yield* findFailureFaults(contract, status, body);
}

function* findDataFaults(contract: Contract | undefined, status: number, body: unknown): Generator<string> {
  if (!contract) return yield "only a declared operation succeeds";
  const { ok, data, ...extraMembers } = (contract.hasNoEnvelope ? { ok: true, data: body } : (body ?? {})) as Record<
    string,
    unknown
  >;
  if (ok !== true || Object.keys(extraMembers).length > 0) yield "a success is { ok: true, data }";
  const parsed = contract.data.safeParse(data);
  if (!parsed.success) return yield `data does not match its schema: ${parsed.error.message}`;
  const { statuses } = contract;
  const expectedStatus = statuses?.chooseStatus(parsed.data) ?? 200;
  if (status !== expectedStatus || (statuses && !(status in statuses.descriptions)))
    yield `this is answered with ${expectedStatus}`;
}

const FailureBody = z.strictObject({
  ok: z.literal(false),
  error: z.string().regex(/^.{10,}[.…]$/s),
  code: z.string(),
  docUrl: z.string(),
  requestId: z.string(),
  issues: z
    .array(z.strictObject({ path: z.string(), message: z.string() }))
    .min(1)
    .optional(),
  txSignature: z.string().optional(),
});

function* findFailureFaults(contract: Contract | undefined, status: number, body: unknown): Generator<string> {
  const parsed = FailureBody.safeParse(body);
  if (!parsed.success) return yield `a failure does not match its envelope: ${parsed.error.message}`;
  const { code, docUrl } = parsed.data;
  if (!isCode(code)) return yield `the code ${code} is not in the table`;
  if (docUrl !== toDocPath(code)) yield "docUrl is the address of the code's documentation";
  if (ERRORS[code][0] !== status) yield `${code} is answered with ${ERRORS[code][0]}`;
  if (!listCodes(contract).includes(code)) yield `${code} is not documented`;
}

const isCode = (code: string): code is ErrorCode => code in ERRORS;
const listCodes = (contract: Contract | undefined) =>
  contract ? listErrorCodes(contract) : [...UNDECLARED_CODES, ...SERVER_CODES];

function listStatuses(contract: Contract | undefined): number[] {
  const successes = contract ? Object.keys(contract.statuses?.descriptions ?? { 200: "" }).map(Number) : [];
  return [...successes, ...listCodes(contract).map((code) => ERRORS[code][0])];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The headers that every answer must have. */
const REQUIRED_HEADERS: Record<string, RegExp> = {
  "x-request-id": /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  "cache-control": /^(?:no-store|public, max-age=\d+)$/,
  "access-control-allow-origin": /^\*$/,
  "x-content-type-options": /^nosniff$/,
  "roundup-version": /^\d+\.\d+\.\d+$/,
};
/** The headers that no answer may have. */
const FORBIDDEN_HEADERS = ["access-control-allow-credentials", "x-powered-by"];

function* findHeaderFaults({ status, headers, text }: CheckedAnswer): Generator<string> {
  for (const [name, pattern] of Object.entries(REQUIRED_HEADERS))
    if (!pattern.test(headers.get(name) ?? "")) yield `${name} is ${headers.get(name)}`;
  for (const name of FORBIDDEN_HEADERS) if (headers.has(name)) yield `${name} is not sent`;
  const { code } = (status < 400 ? {} : (parseJson(text) ?? {})) as { code?: ErrorCode };
  const isUncounted = code !== undefined && SERVER_CODES.includes(code) && headers.get("connection") === "close";
  if (!isUncounted) yield* findLimitFaults(headers);
  if (status !== 204 && headers.get("content-type") !== "application/json; charset=utf-8")
    yield "an answer is JSON in UTF-8";
}

/** The limits of calls a minute, by bucket. A static key has its own limit. */
const LIMITS: Record<string, string> = { default: "60", options: "300", probe: "300" };

/** Lists faults of the rate limit's headers, which every counted answer carries in two forms. */
function* findLimitFaults(headers: CheckedAnswer["headers"]): Generator<string> {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));
  const policy = headers.get("ratelimit-policy") ?? "";
  const [, bucket = "", policyLimit = ""] = /^"(default|options|probe|key:[\w-]+)";q=(\d+);w=60$/.exec(policy) ?? [];
  if (policyLimit === "" || (LIMITS[bucket] ?? policyLimit) !== policyLimit) yield `ratelimit-policy is ${policy}`;
  if (limit !== policyLimit) yield `x-ratelimit-limit is ${limit}`;
  if (!/^\d+$/.test(remaining ?? "") || Number(remaining) >= Number(limit))
    yield `x-ratelimit-remaining is ${remaining}`;
  if (!/^\d{10}$/.test(reset ?? "")) yield `x-ratelimit-reset is ${reset}`;
  const rateLimit = headers.get("ratelimit") ?? "";
  const seconds = rateLimit.startsWith(`"${bucket}";r=${remaining};t=`) ? Number(/\d+$/.exec(rateLimit)?.[0]) : 0;
  if (!(seconds >= 1 && seconds <= 60)) yield `ratelimit is ${rateLimit}`;
}

/** Matches a part of a stack trace. */
const STACK_PATTERN = /\n\s+at |node_modules|\.(?:ts|tsx|mjs|cjs|js):\d+|\bnode:[a-z]+/;
const MACHINE_PATHS = [process.cwd(), homedir(), tmpdir()].filter((path) => path.length > 1);

/** Lists the stack traces and the paths of this machine that a text contains. */
export function findLeaks(text: string): string[] {
  const leaks = [STACK_PATTERN.exec(text)?.[0], ...MACHINE_PATHS.filter((path) => text.includes(path))];
  return leaks.filter((leak) => leak !== undefined).map((leak) => `it contains ${JSON.stringify(leak)}`);
}
