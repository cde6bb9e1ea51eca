/** A message to the load process. It is small, because the load process creates the requests itself. */
export interface LoadJob {
  url: string;
  connections: number;
  seconds: number;
  method: "GET" | "POST";
  /** The requests, which are sent in turn. */
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
  successCount: number;
  /** Number of other statuses, failed connections and missing answers. */
  failureCount: number;
  /** Counts of each kind of failure, as text. */
  failures: string;
}

/** Builds the request of this index: the requests in turn, each from a different address of 10.0.0.0/8. */
export function buildRequest({ method, requests }: Pick<LoadJob, "method" | "requests">, index: number) {
  const { path, headers, body } = requests[index % requests.length]!;
  const contentType: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  return { method, path, headers: { ...contentType, ...headers, "x-forwarded-for": address }, body };
}
