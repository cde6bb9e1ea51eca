import { z } from "zod";
import type { Contract } from "../contracts/define";
import { ADDRESS_ISSUE } from "../contracts/scalars";
import type { NamedNetwork } from "../domain/signed-texts";
import { AppError, createFieldError, describeIssue, type Issue } from "../errors";
import type { IncomingRequest, RequestHeaders } from "./message";

export const MAX_BODY_BYTES = 16 * 1024;
/** The maximum number of issues in an answer. A list or unknown fields could cause hundreds. */
const MAX_REPORTED_ISSUES = 20;

/**
 * Returns path parameters, query and body, each checked against the contract.
 * @throws AppError with status 400, or unsupported_media_type or body_too_large
 */
export async function decodeInput(
  request: IncomingRequest,
  params: Record<string, unknown>,
  contract: Contract,
  network: NamedNetwork,
): Promise<Record<string, unknown>> {
  const query = checkAndDropNetwork(readQuery(request.search, contract), network);
  const takesBody = contract.method === "POST";
  const hasBody = takesBody || isBodySent(request.headers);
  const body = hasBody
    ? checkAndDropNetwork(takesBody ? await readBody(request) : await readStrayBody(request), network)
    : {};
  // Not object spreads, see COMMON_HEADERS in respond.ts.
  return Object.assign(
    {},
    parseFields(contract.params, params),
    parseFields(contract.query ?? NO_FIELDS, query),
    hasBody ? parseFields(contract.body ?? NO_FIELDS, body) : {},
  );
}

const NO_FIELDS = z.strictObject({});

const DECIMAL_NUMBER_PATTERN = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Parses the query. Values that the schema wants as numbers are parsed as decimal numbers. */
function readQuery(search: string, contract: Contract): Record<string, unknown> {
  if (search === "") return {};
  const querySchemas = contract.query instanceof z.ZodObject ? contract.query.shape : {};
  const query: Record<string, unknown> = {};
  for (const [name, text] of new URLSearchParams(search)) {
    const isNumber = querySchemas[name] !== undefined && isNumberField(querySchemas[name]);
    defineProperty(query, name, isNumber && DECIMAL_NUMBER_PATTERN.test(text) ? Number(text) : text);
  }
  return query;
}

function isNumberField(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodOptional ? isNumberField(schema.unwrap()) : schema instanceof z.ZodNumber;
}

/** Defines an own property under any name, `__proto__` included. */
function defineProperty(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Drops `network`, which every request may have; `mainnet` is mainnet-beta. @throws AppError network_mismatch */
function checkAndDropNetwork(fields: Record<string, unknown>, network: NamedNetwork): Record<string, unknown> {
  if (!Object.hasOwn(fields, "network")) return fields;
  const { network: requestedNetwork, ...otherFields } = fields;
  if ((requestedNetwork === "mainnet" ? "mainnet-beta" : requestedNetwork) !== network) {
    throw new AppError("network_mismatch", {
      message: `This deployment serves ${network}, not the network the request names.`,
    });
  }
  return otherFields;
}

async function readBody(request: IncomingRequest): Promise<Record<string, unknown>> {
  checkContentType(request.headers);
  return parseObject(await readText(request));
}

function isBodySent(headers: RequestHeaders): boolean {
  return (headers.get("content-length") ?? "0") !== "0" || headers.get("transfer-encoding") !== null;
}

/** Reads the body of a GET or DELETE. Such a request needs none; a body that is sent is checked by the same rules. */
async function readStrayBody(request: IncomingRequest): Promise<Record<string, unknown>> {
  const text = await readText(request);
  const isBodyHidden = text === "" && Number(request.headers.get("content-length")) > 0;
  if (text === "" && !isBodyHidden) return {};
  checkContentType(request.headers);
  // Next hides the body of a GET from handlers. A body that cannot be checked is refused.
  if (isBodyHidden) {
    throw new AppError("invalid_request", { message: "Send the fields of this request in its query, without a body." });
  }
  return parseObject(text);
}

function checkContentType(headers: RequestHeaders): void {
  if (!/^application\/json\s*(;|$)/i.test(headers.get("content-type") ?? "")) {
    throw new AppError("unsupported_media_type");
  }
}

/** @throws AppError invalid_json, or invalid_request when the value is not an object */
function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError(
      "invalid_json",
      text === "" ? { message: "The request body is empty; send a JSON object." } : {},
    );
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new AppError("invalid_request", {
      message: "The request body must be a JSON object.",
      issues: [{ path: "", message: "must be a JSON object" }],
    });
  }
  return value as Record<string, unknown>;
}

/** Reads the body as text. @throws AppError body_too_large once the size is known, invalid_json if it is not UTF-8 */
async function readText(request: IncomingRequest): Promise<string> {
  if (Number(request.headers.get("content-length")) > MAX_BODY_BYTES) throw new AppError("body_too_large");
  try {
    const bytes = await request.readBody(MAX_BODY_BYTES);
    if (!bytes) throw new AppError("body_too_large");
    return utf8Decoder.decode(bytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("invalid_json", { message: "The request body could not be read as UTF-8 JSON." });
  }
}

const utf8Decoder = new TextDecoder("utf-8", { fatal: true });

/** @throws AppError invalid_address when every issue concerns an address, else invalid_request */
function parseFields(schema: z.ZodType | undefined, value: Record<string, unknown>): Record<string, unknown> {
  if (!schema) return {};
  if (Object.hasOwn(value, "__proto__")) throw createFieldError("__proto__", UNKNOWN_FIELD_TEXT);
  const result = schema.safeParse(value);
  if (result.success) return result.data as Record<string, unknown>;
  const issues = result.error.issues.slice(0, MAX_REPORTED_ISSUES);
  const hasOnlyAddressIssues = issues.every(
    (issue) => issue.code === "custom" && issue.params?.code === ADDRESS_ISSUE.code,
  );
  const reportedIssues = issues.flatMap(toIssues).slice(0, MAX_REPORTED_ISSUES);
  const message = reportedIssues.map(describeIssue).join("; ");
  throw new AppError(hasOnlyAddressIssues ? "invalid_address" : "invalid_request", {
    message: toSentence(message),
    issues: reportedIssues,
  });
}

const MAX_MESSAGE_LENGTH = 300;
const toSentence = (text: string) =>
  `${text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text}.`;

const MAX_NAME_LENGTH = 60;
/** Matches characters that could hide, reorder or break text: controls, separators, lone surrogates, invisible ones. */
const UNPRINTABLE_PATTERN = /[^\x20-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}]|\p{Default_Ignorable_Code_Point}|\u2800/gu;

/** Shortens a field name from the request and replaces invisible characters. Letters of any script stay. */
function toPrintable(name: PropertyKey): string {
  // Cut between characters, not inside them: a character takes at most two UTF-16 units.
  const shortName = [...String(name).slice(0, 2 * MAX_NAME_LENGTH)].slice(0, MAX_NAME_LENGTH).join("");
  return shortName.replace(UNPRINTABLE_PATTERN, "?");
}

const MAX_ISSUE_LENGTH = 200;
const UNKNOWN_FIELD_TEXT = "is not a field of this request";

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map(toPrintable).join(".");
  if (issue.code === "unrecognized_keys") {
    const fieldNames = issue.keys.slice(0, MAX_REPORTED_ISSUES).map(toPrintable);
    return fieldNames.map((name) => ({ path: [path, name].filter(Boolean).join("."), message: UNKNOWN_FIELD_TEXT }));
  }
  return [{ path, message: describeFault(issue).slice(0, MAX_ISSUE_LENGTH) }];
}

/** Matches the messages that zod makes. A contract's own message is kept. */
const ZOD_MESSAGE_PATTERN = /^(Too (small|big)|Invalid \w+): /;
const TYPE_NAMES: Record<string, string> = { int: "a whole number", array: "an array", object: "an object" };

/** Describes what a field must be, in words that follow its name. */
function describeFault(issue: z.core.$ZodIssue): string {
  if (!ZOD_MESSAGE_PATTERN.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      if (issue.message.endsWith("received undefined")) return "is required";
      return `must be ${TYPE_NAMES[issue.expected] ?? `a ${issue.expected}`}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}`;
    case "too_small":
      return describeBound(issue.origin, issue.inclusive ? "at least" : "greater than", issue.minimum);
    case "too_big":
      return describeBound(issue.origin, issue.inclusive ? "at most" : "less than", issue.maximum);
    default:
      return issue.message.replace(ZOD_MESSAGE_PATTERN, "");
  }
}

const UNITS: Record<string, [one: string, many: string]> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
};

function describeBound(origin: string, comparison: string, bound: number | bigint): string {
  const unit = UNITS[origin]?.[Number(bound) === 1 ? 0 : 1];
  return unit ? `must have ${comparison} ${bound} ${unit}` : `must be ${comparison} ${bound}`;
}
