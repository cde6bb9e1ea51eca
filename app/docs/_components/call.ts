import type { Parameter } from "@/app/docs/_content/reference";
import type { AuthRule } from "@/lib/contracts/define";
import type { Credentials } from "@/lib/sdk/calls/calls";

/** An operation as the console and curl need it, without its schemas. */
export interface Call {
  id: string;
  method: string;
  path: string;
  auth: AuthRule;
  parameters: Pick<Parameter, "path" | "place" | "required" | "type" | "limits" | "example">[];
  /** Example body; null for an operation without a body. */
  example: Record<string, unknown> | null;
  /** Whether the answer has no envelope. */
  bare?: boolean;
}

/** Builds the URL with its parameters. Omits empty query parameters. */
export function addressOf({ path, parameters }: Call, values: Record<string, string>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const query = new URLSearchParams();
  for (const { path: name, place } of parameters) {
    const value = values[name]?.trim();
    if (place === "query" && value) query.set(name, value);
  }
  return query.size > 0 ? `${filled}?${query}` : filled;
}

/** Returns the initial field values: examples for path parameters, empty strings for the rest. */
export function exampleValues({ parameters }: Call): Record<string, string> {
  return Object.fromEntries(parameters.map(({ path, required, example }) => [path, required ? (example ?? "") : ""]));
}

const CREDENTIALS = ['-H "x-wallet: $WALLET"', '-H "x-signature: $SIGNATURE"'];

/**
 * Formats the call as a curl command. Credentials stay shell variables, so that a copied command does not contain them.
 */
export function curlOf(call: Call, base: string): string {
  const parts = [
    `curl -s ${call.method === "DELETE" ? "-X DELETE " : ""}"${base}${addressOf(call, exampleValues(call))}"`,
    ...(call.auth === "none" ? [] : CREDENTIALS),
    ...(call.example ? ['-H "content-type: application/json"', `-d '${JSON.stringify(call.example)}'`] : []),
  ];
  return parts.join(" \\\n  ");
}

export interface CallAnswer {
  status: number;
  ms: number;
  /** Formatted JSON, or the raw text. */
  text: string;
  data: unknown;
  requestId: string | null;
  remaining: string | null;
  /** Seconds. */
  retryAfter: number;
}

/**
 * Sends the call to this origin and returns any response.
 * @throws when the service cannot be reached
 */
export async function send(
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
  const json = parse(text);
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
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the unsigned transactions in a response, base64. */
export function unsignedIn(data: unknown): string[] {
  if (typeof data !== "object" || data === null) return [];
  const { transaction, transactions } = data as { transaction?: unknown; transactions?: unknown };
  const single = (transaction as { base64?: unknown } | null | undefined)?.base64;
  const several = Array.isArray(transactions) ? transactions.map((one) => one?.transaction) : [];
  return [single, ...several].filter((text): text is string => typeof text === "string");
}
