/** A message to the load process. It is small, because the load process creates the requests itself. */
export interface LoadJob {
  url: string;
  connections: number;
  /** Duration in seconds. Alternative to `amount`. */
  seconds?: number;
  /** Number of requests, each from a different address. Alternative to `seconds`. */
  amount?: number;
  method: "GET" | "POST";
  /** Sent in turn. */
  requests: LoadRequest[];
}

interface LoadRequest {
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** The load process's answer to a job. */
export interface LoadResult {
  seconds: number;
  /** Number of answers with a 2xx status. */
  good: number;
  /** Number of other statuses, failed connections and missing answers. */
  bad: number;
  /** Counts of each kind of failure, as text. */
  failures: string;
  p99Ms: number;
}

/** Returns one of these requests, by index in turn, from the index-th address of 10.0.0.0/8. */
export function toRequest({ method, requests }: Pick<LoadJob, "method" | "requests">, index: number) {
  const { path, headers, body } = requests[index % requests.length]!;
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  return { method, path, headers: { ...type, ...headers, "x-forwarded-for": address }, body };
}
