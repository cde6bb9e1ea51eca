import type { Operation, Parameter } from "@/app/docs/_content/reference";
import type { Credentials } from "@/lib/sdk/calls/calls";

/** What consoles and samples need of an operation. It has no schemas, so that the page stays small. */
export interface ApiCall extends Pick<Operation, "id" | "method" | "path" | "auth"> {
  parameters: Pick<Parameter, "path" | "place" | "required" | "type" | "limits" | "example">[];
  /** Example body; null for an operation without a body. */
  exampleBody: Record<string, unknown> | null;
  hasNoEnvelope?: boolean;
}

/** Omits empty query parameters. */
export function buildAddress({ path, parameters }: ApiCall, values: Record<string, string>): string {
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const query = new URLSearchParams();
  for (const { path: name, place } of parameters) {
    const value = values[name]?.trim();
    if (place === "query" && value) query.set(name, value);
  }
  return query.size > 0 ? `${filledPath}?${query}` : filledPath;
}

/** An example for each required parameter, and empty strings for the others. */
export function toExampleValues({ parameters }: ApiCall): Record<string, string> {
  return Object.fromEntries(parameters.map(({ path, required, example }) => [path, required ? (example ?? "") : ""]));
}

const CREDENTIAL_ARGUMENTS = ['-H "x-wallet: $WALLET"', '-H "x-signature: $SIGNATURE"'];

/** Reads credentials from shell variables, so a copy has no secrets. */
export function formatCurl(call: ApiCall, origin: string): string {
  const parts = [
    `curl -s ${call.method === "DELETE" ? "-X DELETE " : ""}"${origin}${buildAddress(call, toExampleValues(call))}"`,
    ...(call.auth === "none" ? [] : CREDENTIAL_ARGUMENTS),
    ...(call.exampleBody ? ['-H "content-type: application/json"', `-d '${JSON.stringify(call.exampleBody)}'`] : []),
  ];
  return parts.join(" \\\n  ");
}

/** Absent headers are null, or 0. */
export interface CallAnswer {
  status: number;
  /** Until the last byte. */
  durationMs: number;
  /** Formatted JSON, or the raw text. */
  text: string;
  data: unknown;
  requestId: string | null;
  remainingCalls: string | null;
  retryAfterSeconds: number;
}

/** Sends the call to this origin. @throws {TypeError} when the service cannot be reached, or redirects */
export async function sendCall(
  { method }: ApiCall,
  address: string,
  body: string | null,
  credentials: Credentials | null,
): Promise<CallAnswer> {
  const startMs = performance.now();
  const response = await fetch(address, {
    method,
    headers: { ...credentials, ...(body !== null && { "content-type": "application/json" }) },
    body,
    // A redirect could send the credentials to a different origin.
    redirect: "error",
  });
  const text = await response.text();
  const parsedBody = parseJson(text);
  return {
    status: response.status,
    durationMs: Math.round(performance.now() - startMs),
    text: parsedBody === undefined ? text : JSON.stringify(parsedBody, null, 2),
    data: (parsedBody as { data?: unknown } | undefined)?.data,
    requestId: response.headers.get("x-request-id"),
    remainingCalls: response.headers.get("x-ratelimit-remaining"),
    retryAfterSeconds: Number(response.headers.get("retry-after")) || 0,
  };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Base64. */
export function findUnsignedTransactions(data: unknown): string[] {
  if (typeof data !== "object" || data === null) return [];
  const { transaction, transactions } = data as { transaction?: unknown; transactions?: unknown };
  const singleTransaction = (transaction as { base64?: unknown } | null | undefined)?.base64;
  const listedTransactions = Array.isArray(transactions) ? transactions.map((entry) => entry?.transaction) : [];
  return [singleTransaction, ...listedTransactions].filter((text): text is string => typeof text === "string");
}
