/** What the load process is told to send, and what it says of it. Small on the wire: the requests are made over there. */
export interface LoadJob {
  url: string;
  connections: number;
  /** Either for so long … */
  seconds?: number;
  /** … or so many requests, each from an address of its own. */
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
  /** Answers with a 2xx status. */
  good: number;
  /** Other statuses, connections that failed, and answers that never came. */
  bad: number;
  /** How many of each kind. */
  why: string;
  p99Ms: number;
}
