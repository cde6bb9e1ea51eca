import { AsyncLocalStorage } from "node:async_hooks";
import { z } from "zod";
import { ApiError } from "../../sdk/calls/api-error";
import { DEFAULT_MAX_WAIT_MS, type LimitOptions } from "../../sdk/calls/calls";
import type { Fetch } from "../../sdk/platform";

interface ToolCall {
  /** The call's total wait for the rate limit, ms. It includes a wait that is about to begin. */
  waitedMs: number;
  report(message: string): void;
}

/** All tool calls share one HTTP client. This context tells which of them made a request. */
const currentCall = new AsyncLocalStorage<ToolCall>();

/** Runs a tool call. Its requests and waits are reported as progress, see `createClientOptions`. */
export const runToolCall = <Value>(report: ToolCall["report"], task: () => Promise<Value>): Promise<Value> =>
  currentCall.run({ waitedMs: 0, report }, task);

/**
 * Returns options for the HTTP client of all tool calls. Each request is reported as progress. A tool call waits for
 * the rate limit at most DEFAULT_MAX_WAIT_MS in all, because MCP clients abandon a call after about a minute.
 */
export const createClientOptions = (fetch: Fetch): LimitOptions & { fetch: Fetch } => ({
  fetch: (url, init) => {
    currentCall.getStore()?.report(`${init.method} ${new URL(url).pathname}`);
    return fetch(url, init);
  },
  maxWaitMs: DEFAULT_MAX_WAIT_MS,
  onLimit(retryAfterMs) {
    const call = currentCall.getStore();
    if (!call) return;
    call.waitedMs += retryAfterMs;
    const seconds = Math.ceil(retryAfterMs / 1000);
    if (call.waitedMs > DEFAULT_MAX_WAIT_MS)
      throw new ApiError("rate_limited", "Rate limit reached.", { status: 429, retryAfter: seconds });
    call.report(`Rate limit reached. Waiting ${seconds} s.`);
  },
});

/** Matches a decimal number that JSON can hold exactly: no sign, no exponent, and at most 15 digits. */
const DECIMAL_PATTERN = /^(?=[\d.]{1,16}$)\d{1,15}(\.\d{1,14})?$/;

/**
 * Undoes usual habits of models' clients, before the schema checks the arguments. A number or a list may be sent as text.
 * An optional argument that is empty text or null counts as not given. HTTP accepts none of this.
 */
export function normalizeArguments(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional) {
    const isMissing = value === null || (typeof value === "string" && value.trim() === "");
    return isMissing ? undefined : normalizeArguments(schema.unwrap() as z.ZodType, value);
  }
  if (schema instanceof z.ZodNumber)
    return typeof value === "string" && DECIMAL_PATTERN.test(value) ? Number(value) : value;
  if (schema instanceof z.ZodArray) {
    const list = typeof value === "string" ? parseJson(value) : value;
    return Array.isArray(list) ? list.map((item) => normalizeArguments(schema.element as z.ZodType, item)) : value;
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const shape: Record<string, z.ZodType> = schema.shape;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, item]) => [name, Object.hasOwn(shape, name) ? normalizeArguments(shape[name]!, item) : item])
      .filter(([, item]) => item !== undefined),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
