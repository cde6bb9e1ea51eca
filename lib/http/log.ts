import pino, { type DestinationStream, type Logger } from "pino";
import type { ErrorCode } from "../errors";
import type { Caller } from "../ports/request-context";

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
/** UTF-16 units. */
const BATCH_LENGTH = 65_536;

/**
 * JSON lines on standard output; a request never waits for the terminal.
 * @param batched whether lines may wait for one another: not where the process is frozen between requests
 */
export function createLogger(level: string, batched: boolean): Logger {
  // At the end of the process pino writes what still waits here.
  const output = pino.destination({ sync: false, minLength: 0 });
  return pino({ level, base: null, timestamp: isoTime }, batched ? batchBefore(output) : output);
}

let lastMs = 0;
let lastTime = "";

/** pino's own, but written anew only when a millisecond has passed: 0.7 µs, and many lines share one. */
function isoTime(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastTime = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastTime;
}

/**
 * Joins lines before they are written. Not by the destination's own `minLength`, which for each line measures all that
 * waits: 64 kB of it cost every request 80 µs.
 */
export function batchBefore(output: { write(text: string): void; flushSync(): void }): DestinationStream {
  let lines: string[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines.length > 0) output.write(lines.join(""));
    lines = [];
    length = 0;
  };
  process.on("exit", () => {
    flush();
    output.flushSync();
  });
  return {
    write(line) {
      lines.push(line);
      length += line.length;
      if (length >= BATCH_LENGTH) flush();
      else timer ??= setTimeout(flush, BATCH_MS);
    },
  };
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
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  // By name: a bundler may give one process two instances of the class.
  if (error.name === "UpstreamFault") return error.message;
  const frame = /\n\s+at .*?([\w.-]+:\d+):\d+\)?/.exec(error.stack ?? "")?.[1];
  return frame ? `${error.name} at ${frame}` : error.name;
}
