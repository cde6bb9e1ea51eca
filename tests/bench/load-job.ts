/** The load process's jobs and results. Messages are small, because the load process creates the requests itself. */
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

export interface LoadRequest {
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

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
