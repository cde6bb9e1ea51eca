/** By name in lower case; null for an absent one; several of one name are one, joined by commas. */
export type RequestHeaders = Pick<Headers, "get">;

/** A request as far as this service looks at one. Each door makes its own of what it receives. */
export interface Incoming {
  readonly method: string;
  /** The query with its `?`, or empty. */
  readonly search: string;
  readonly headers: RequestHeaders;
  /**
   * The body's bytes, none when there is no body. To be called once.
   * @returns null as soon as it is longer than `limit` bytes; what is left of it is dropped
   */
  readBody(limit: number): Promise<Uint8Array | null>;
}

/** By name in lower case. */
export type ResponseHeaders = Record<string, string>;

/** An answer, which each door writes in its own way. */
export interface Outgoing {
  status: number;
  headers: ResponseHeaders;
  /** JSON; null for none. */
  body: string | null;
}

/** Of a body that is too large, so much is still read, and dropped, after the answer. */
export const MAX_DISCARDED_BYTES = 4 * 1024 * 1024;
