import type { Parameter } from "@/app/docs/_content/reference";
import type { AuthRule } from "@/lib/contracts/define";
import type { Credentials } from "@/lib/sdk/calls/calls";

/** The part of an operation that the consoles and the samples need. It has no schemas, so that the page stays small. */
export interface Call {
  id: string;
  method: string;
  path: string;
  auth: AuthRule;
  parameters: Pick<Parameter, "path" | "place" | "required" | "type" | "limits" | "example">[];
  /** Example body; null for an operation without a body. */
  example: Record<string, unknown> | null;
  /** True when the response is not wrapped in `{ ok, data }`. */
  bare?: boolean;
}

/** Builds the path and the query of a call. Omits empty query parameters. */
export function buildAddress({ path, parameters }: Call, values: Record<string, string>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const query = new URLSearchParams();
  for (const { path: name, place } of parameters) {
    const value = values[name]?.trim();
    if (place === "query" && value) query.set(name, value);
  }
  return query.size > 0 ? `${filled}?${query}` : filled;
}

/** Returns the initial field values: examples for path parameters, empty strings for the rest. */
export function toExampleValues({ parameters }: Call): Record<string, string> {
  return Object.fromEntries(parameters.map(({ path, required, example }) => [path, required ? (example ?? "") : ""]));
}

const CREDENTIALS = ['-H "x-wallet: $WALLET"', '-H "x-signature: $SIGNATURE"'];

/**
 * Formats the call as a curl command. Credentials stay shell variables, so that a copied command does not contain them.
 */
export function formatCurl(call: Call, base: string): string {
  const parts = [
    `curl -s ${call.method === "DELETE" ? "-X DELETE " : ""}"${base}${buildAddress(call, toExampleValues(call))}"`,
    ...(call.auth === "none" ? [] : CREDENTIALS),
    ...(call.example ? ['-H "content-type: application/json"', `-d '${JSON.stringify(call.example)}'`] : []),
  ];
  return parts.join(" \\\n  ");
}

export interface CallAnswer {
  status: number;
  /** Time from sending to the last byte, ms. */
  ms: number;
  /** Formatted JSON, or the raw text. */
  text: string;
  /** Member `data` of the envelope. */
  data: unknown;
  requestId: string | null;
  /** Calls left in this minute. */
  remaining: string | null;
  /** Seconds to wait before the next attempt; 0 for none. */
  retryAfter: number;
}

/**
 * Sends the call to this origin and returns any response.
 * @throws {TypeError} when the service cannot be reached, or answers with a redirect
 */
export async function sendCall(
  { method }: Call,
  address: string,
  body: string | null,
  credentials: Credentials | null,
): Promise<CallAnswer> {
  const started = performance.now();
  const response = await fetch(address, {
    method,
    headers: { ...credentials, ...(body !== null && { "content-type": "application/json" }) },
    body,
    // A redirect could send the credentials to a different origin.
    redirect: "error",
  });
  const text = await response.text();
  const json = parseJson(text);
  return {
    status: response.status,
    ms: Math.round(performance.now() - started),
    text: json === undefined ? text : JSON.stringify(json, null, 2),
    data: (json as { data?: unknown } | undefined)?.data,
    requestId: response.headers.get("x-request-id"),
    remaining: response.headers.get("x-ratelimit-remaining"),
    retryAfter: Number(response.headers.get("retry-after")) || 0,
  };
}

/** Parses JSON. Returns undefined for invalid text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the unsigned transactions in a response, base64. */
export function findUnsignedTransactions(data: unknown): string[] {
  if (typeof data !== "object" || data === null) return [];
  const { transaction, transactions } = data as { transaction?: unknown; transactions?: unknown };
  const single = (transaction as { base64?: unknown } | null | undefined)?.base64;
  const several = Array.isArray(transactions) ? transactions.map((entry) => entry?.transaction) : [];
  return [single, ...several].filter((text): text is string => typeof text === "string");
}
