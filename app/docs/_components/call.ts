import type { Parameter } from "@/app/docs/_content/reference";
import type { AuthRule } from "@/lib/contracts/define";
import type { Credentials } from "@/lib/sdk/calls/calls";

/** An operation as the console and the curl need it: nothing of the schemas comes along. */
export interface Call {
  id: string;
  method: string;
  path: string;
  auth: AuthRule;
  parameters: Pick<Parameter, "path" | "place" | "required" | "type" | "limits" | "example">[];
  /** Of the body; null where there is none. */
  example: Record<string, unknown> | null;
}

/** The address with its parameters in it; what is empty in the query is left out. */
export function addressOf({ path, parameters }: Call, values: Record<string, string>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const query = new URLSearchParams();
  for (const { path: name, place } of parameters) {
    const value = values[name]?.trim();
    if (place === "query" && value) query.set(name, value);
  }
  return query.size > 0 ? `${filled}?${query}` : filled;
}

/** What stands in the fields before anybody typed: path parameters by example, the optional rest empty. */
export function exampleValues({ parameters }: Call): Record<string, string> {
  return Object.fromEntries(parameters.map(({ path, required, example }) => [path, required ? (example ?? "") : ""]));
}

const CREDENTIALS = ['-H "x-wallet: $WALLET"', '-H "x-signature: $SIGNATURE"'];

/** The call for a shell. Credentials stay variables: a copied line must not carry them along. */
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
  /** Pretty JSON, or the text as it came. */
  text: string;
  data: unknown;
  requestId: string | null;
  remaining: string | null;
  /** Seconds. */
  retryAfter: number;
}

/** Sends it to this origin and takes whatever comes back as it is. @throws when the service cannot be reached */
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
    // The credentials belong to this origin alone.
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

/** Undefined for what is no JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Transactions in an answer that wait for a signature, base64. */
export function unsignedIn(data: unknown): string[] {
  if (typeof data !== "object" || data === null) return [];
  const { transaction, transactions } = data as { transaction?: unknown; transactions?: unknown };
  const single = (transaction as { base64?: unknown } | null | undefined)?.base64;
  const several = Array.isArray(transactions) ? transactions.map((one) => one?.transaction) : [];
  return [single, ...several].filter((text): text is string => typeof text === "string");
}
