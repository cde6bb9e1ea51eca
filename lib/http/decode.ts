import { z } from "zod";
import type { Contract } from "../contracts/define";
import { ADDRESS_ISSUE } from "../contracts/scalars";
import { AppError, type Issue } from "../errors";
import type { NetworkName } from "../ports";

export const MAX_BODY_BYTES = 16 * 1024;
/** Of a body that is too large, so much is still read, and dropped, after the answer. */
const MAX_DISCARDED_BYTES = 4 * 1024 * 1024;
/** No schema here is as long; more would only make the answer large. */
const MAX_ISSUES = 20;

/**
 * What the service gets: path parameters, query and body, each checked by the contract.
 * @throws AppError of the 400 family, unsupported_media_type or body_too_large
 */
export async function decodeInput(
  request: Request,
  url: URL,
  params: Record<string, unknown>,
  contract: Contract,
  network: NetworkName,
): Promise<Record<string, unknown>> {
  const query = checkNetwork(readQuery(url, contract), network);
  const body = contract.method === "POST" ? checkNetwork(await readBody(request), network) : {};
  // Not spreads: see respond.ts.
  return Object.assign(
    {},
    check(contract.params, params),
    check(contract.query ?? NOTHING, query),
    contract.method === "POST" ? check(contract.body ?? NOTHING, body) : {},
  );
}

const NOTHING = z.strictObject({});

/** Query values are text, so those a schema wants as numbers are read as plain decimal numbers. */
function readQuery(url: URL, contract: Contract): Record<string, unknown> {
  if (url.search === "") return {};
  const shape = contract.query instanceof z.ZodObject ? contract.query.shape : {};
  const query: Record<string, unknown> = {};
  for (const [name, text] of url.searchParams) {
    const isNumber = shape[name] !== undefined && wantsNumber(shape[name]);
    define(query, name, isNumber && /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text);
  }
  return query;
}

function wantsNumber(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodOptional ? wantsNumber(schema.unwrap()) : schema instanceof z.ZodNumber;
}

/** Own property whatever the name, `__proto__` included. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** `network` may stand anywhere and must then be this deployment's own. */
function checkNetwork(fields: Record<string, unknown>, network: NetworkName): Record<string, unknown> {
  if (!Object.hasOwn(fields, "network")) return fields;
  const { network: named, ...rest } = fields;
  if (named !== network) {
    throw new AppError("network_mismatch", `This deployment serves ${network}, not the network the request names.`);
  }
  return rest;
}

async function readBody(request: Request): Promise<Record<string, unknown>> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    throw new AppError("unsupported_media_type");
  }
  const text = await readText(request);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError("invalid_json", text === "" ? "The request body is empty; send a JSON object." : undefined);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new AppError("invalid_request", "The request body must be a JSON object.", {
      issues: [{ path: "", message: "must be a JSON object" }],
    });
  }
  return value as Record<string, unknown>;
}

/** @throws AppError body_too_large as soon as it is known, invalid_json when it is not UTF-8 */
async function readText(request: Request): Promise<string> {
  const declared = Number(request.headers.get("content-length"));
  if (declared > MAX_BODY_BYTES) throw new AppError("body_too_large");
  try {
    if (declared > 0) return decodeUtf8(new Uint8Array(await request.arrayBuffer()));
    return decodeUtf8(await readBounded(request));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("invalid_json", "The request body could not be read as UTF-8 JSON.");
  }
}

/** A body of undeclared length (chunked) is kept only as far as it may go. */
async function readBounded(request: Request): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) return Buffer.concat(chunks);
    size += value.length;
    if (size > MAX_BODY_BYTES) {
      void discardRest(reader!);
      throw new AppError("body_too_large");
    }
    chunks.push(value);
  }
}

/** An unread rest would keep the next request on the same connection, another caller's perhaps, from being read. */
async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let size = 0; size < MAX_DISCARDED_BYTES; ) {
      const { value } = await reader.read();
      if (!value) return;
      size += value.length;
    }
    await reader.cancel();
  } catch {
    // The caller is gone; nobody waits for this.
  }
}

const utf8Decoder = new TextDecoder("utf-8", { fatal: true });

function decodeUtf8(bytes: Uint8Array): string {
  if (bytes.length > MAX_BODY_BYTES) throw new AppError("body_too_large");
  return utf8Decoder.decode(bytes);
}

/** @throws AppError invalid_address when every issue is about one, else invalid_request */
function check(schema: z.ZodType | undefined, value: Record<string, unknown>): Record<string, unknown> {
  if (!schema) return {};
  if (Object.hasOwn(value, "__proto__")) throw unknownField("__proto__");
  const result = schema.safeParse(value);
  if (result.success) return result.data as Record<string, unknown>;
  const issues = result.error.issues.slice(0, MAX_ISSUES);
  const onlyAddresses = issues.every((issue) => issue.code === "custom" && issue.params?.code === ADDRESS_ISSUE.code);
  const listed = issues.map(toIssue);
  const message = listed.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; ");
  throw new AppError(onlyAddresses ? "invalid_address" : "invalid_request", sentence(message), { issues: listed });
}

function unknownField(name: string): AppError {
  const message = "is not a field of this request";
  return new AppError("invalid_request", sentence(`${name}: ${message}`), { issues: [{ path: name, message }] });
}

const MAX_MESSAGE = 300;
const sentence = (text: string) => `${text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text}.`;

/** Names come from the request, so they are cut and printed only when they are plain. */
const printable = (name: PropertyKey) =>
  String(name)
    .slice(0, 60)
    .replace(/[^\x20-\x7e]/g, "?");

function toIssue(issue: z.core.$ZodIssue): Issue {
  const path = issue.path.map(printable).join(".");
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.slice(0, 5).map(printable);
    return {
      path: [path, names[0]].filter(Boolean).join("."),
      message: `is not a field of this request${names.length > 1 ? ` (nor are ${names.slice(1).join(", ")})` : ""}`,
    };
  }
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) {
    return { path, message: "is required" };
  }
  return { path, message: issue.message.replace(/^Invalid input: /, "").slice(0, 200) };
}
