/** Looks headers up by lower-case name. Null when absent; several headers of one name are joined by commas. */
export type RequestHeaders = Pick<Headers, "get">;

/** The parts of a request that this service reads. Each door creates it from what it receives. */
export interface IncomingRequest {
  readonly method: string;
  /** The query with its `?`, or empty. */
  readonly search: string;
  readonly headers: RequestHeaders;
  /** Reads the body once. Null if it is longer than `maxBytes`; its rest is then discarded. */
  readBody(maxBytes: number): Promise<Uint8Array | null>;
}

export type ResponseHeaders = Record<string, string>;

export interface OutgoingResponse {
  status: number;
  headers: ResponseHeaders;
  /** JSON text; null for no body. */
  body: string | null;
}

/** How much of a body that is too large is still read and discarded after the answer, bytes. */
export const MAX_DISCARDED_BYTES = 4 * 1024 * 1024;
