import pino, { type Logger } from "pino";
import type { ErrorCode } from "../errors";
import type { Caller } from "../ports";

/** All that is ever logged of a request. No body, no header, no address in full, nothing a counterparty could be told by. */
export interface RequestLine {
  operation: string;
  status: number;
  ms: number;
  /** Of which waiting for the chain, the market and the shared store. */
  upstreamMs: number;
  requestId: string;
  caller: Caller["kind"];
  wallet?: string;
  code?: ErrorCode;
  /** Our own bug, or the cause of an upstream failure: its name and place, never a value. */
  fault?: string;
}

/** A write for each line is a tenth of a request; lines wait this long at most for others to go with them, ms. */
const BATCH_MS = 50;
/** pino's destination measures all that waits again for each new line: 64 kB of it cost every request 80 µs, 4 kB cost 2. */
const BATCH_BYTES = 4_096;

/**
 * JSON lines on standard output; a request never waits for the terminal.
 * @param batched whether lines may wait for one another: not where the process is frozen between requests
 */
export function createLogger(level: string, batched: boolean): Logger {
  const batch = batched
    ? { minLength: BATCH_BYTES, maxWrite: 2 * BATCH_BYTES, periodicFlush: BATCH_MS }
    : { minLength: 0 };
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    // At the end of the process pino writes what still waits.
    pino.destination({ sync: false, ...batch }),
  );
}

export function shortWallet(wallet: string): string {
  return `${wallet.slice(0, 4)}…${wallet.slice(-4)}`;
}

/** One line a request; 5xx as errors, so that alerts have something to hold on to. */
export function logRequest(logger: Logger, line: RequestLine): void {
  if (line.status >= 500) logger.error(line);
  else logger.info(line);
}

/** Where an unexpected error comes from: its class and the first frame. Messages may quote input, so they stay out, but for an upstream's fault. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  // By name: a bundler may give one process two instances of the class.
  if (error.name === "UpstreamFault") return error.message;
  const frame = /\n\s+at .*?([\w.-]+:\d+):\d+\)?/.exec(error.stack ?? "")?.[1];
  return frame ? `${error.name} at ${frame}` : error.name;
}
