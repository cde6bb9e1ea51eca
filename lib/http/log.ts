import { randomUUID } from "node:crypto";
import pino, { type DestinationStream, type Logger } from "pino";
import type { Runtime } from "../deps";
import type { ClientIpSource } from "../domain/client-ip";
import type { ErrorCode } from "../errors";
import type { Caller } from "../ports/request-context";
import { isFromProxy } from "./client-address";
import type { RequestHeaders } from "./message";

/** The log line of a request. It contains no body, no full address, and nothing that identifies a counterparty. */
export interface RequestLine {
  operation: string;
  status: number;
  ms: number;
  /** The part of `ms` that the request spent waiting for the chain, the market and the shared store. */
  upstreamMs: number;
  requestId: string;
  traceId?: string;
  caller: Caller["kind"];
  keyName?: string;
  wallet?: string;
  code?: ErrorCode;
  /** The class and place of a bug, or the cause of an upstream failure. Never a value. */
  fault?: string;
}

const REQUEST_ID_PATTERN = /^[\w.-]{1,64}$/;
/** Matches a traceparent header and captures its trace id. Source: W3C Trace Context, version 00. */
const TRACEPARENT_PATTERN = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Returns the front proxy's x-request-id, or a new id, and the trace id for the log. Without a trusted proxy, the client
 * itself writes x-request-id, so it does not count. An id that is long or has unsafe characters never counts.
 * `forwardedHeaders` are for upstream calls. They are null unless a proxy sent any, because passing them on costs CPU.
 */
export function readTrace(headers: RequestHeaders, source: ClientIpSource) {
  const hasProxy = isFromProxy(headers, source);
  const receivedId = hasProxy ? headers.get("x-request-id") : null;
  const hasValidId = receivedId !== null && REQUEST_ID_PATTERN.test(receivedId);
  const requestId = hasValidId ? receivedId : randomUUID();
  const traceparent = headers.get("traceparent");
  const traceId = traceparent === null ? undefined : TRACEPARENT_PATTERN.exec(traceparent)?.[1];
  const isForwarded = hasProxy && (hasValidId || traceId !== undefined);
  const forwardedHeaders: Parameters<Runtime["runWithTrace"]>[0] | null = isForwarded
    ? { "x-request-id": requestId, ...(traceId !== undefined && { traceparent: traceparent! }) }
    : null;
  return { requestId, traceId, forwardedHeaders };
}

// Pino's own batches and timestamps would cost 3.9 µs and 1.4 µs more for each request: 14 % and 5 % of GET /api/auth.

/** How long lines may wait to be written together, ms. A write for each line would cost a tenth of a request. */
const BATCH_MS = 50;
const BATCH_LENGTH = 65_536;

/**
 * Creates a logger that writes JSON lines to standard output. A request never waits for the output.
 * @param options.isBatched false if the process is frozen between requests
 */
export function createLogger({ level, isBatched }: { level: string; isBatched: boolean }): Logger {
  // When the process ends, pino writes the lines that it still holds.
  const output = pino.destination({ sync: false, minLength: 0 });
  return pino({ level, base: null, timestamp: formatTime }, isBatched ? createBatchingStream(output) : output);
}

let lastTimestampMs = 0;
let lastTimestamp = "";

/** Returns the timestamp of a line. The text is rebuilt only once per millisecond, which many lines share. */
function formatTime(): string {
  const now = Date.now();
  if (now !== lastTimestampMs) {
    lastTimestampMs = now;
    lastTimestamp = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastTimestamp;
}

/** Joins lines before it writes them. Pino's `minLength` would measure all waiting text for each line. */
export function createBatchingStream(output: { write(text: string): void; flushSync(): void }): DestinationStream {
  let lines: string[] = [];
  let pendingLength = 0;
  let timer: NodeJS.Timeout | undefined;
  const flushLines = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines.length > 0) output.write(lines.join(""));
    lines = [];
    pendingLength = 0;
  };
  process.on("exit", () => {
    flushLines();
    output.flushSync();
  });
  return {
    write(line) {
      lines.push(line);
      pendingLength += line.length;
      if (pendingLength >= BATCH_LENGTH) flushLines();
      else timer ??= setTimeout(flushLines, BATCH_MS);
    },
  };
}

/** A 5xx is logged as an error, so that alerts can match on the level, except the 503s of a process that is ending. */
export function logRequest(logger: Pick<Logger, "error" | "info">, line: RequestLine, isEnding: boolean): void {
  if (line.status >= 500 && !(isEnding && line.status === 503)) logger.error(line);
  else logger.info(line);
}

/**
 * Describes an unexpected error by its class and first stack frame. Only an UpstreamFault's message cannot quote input.
 */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  // The name is compared, because a bundler may give one process two instances of the class.
  if (error.name === "UpstreamFault") return error.message;
  const frame = /\n\s+at .*?([\w.-]+:\d+):\d+\)?/.exec(error.stack ?? "")?.[1];
  return frame ? `${error.name} at ${frame}` : error.name;
}
