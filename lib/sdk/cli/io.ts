import { homedir } from "node:os";
import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";
import { type Clock, type Fetch, systemClock, systemFetch } from "../world";
import type { OpensSocket } from "./watch/changes";

/** What the command needs of the world. */
export interface Io {
  env: Record<string, string | undefined>;
  /** The person's own folder. */
  home: string;
  /** An answer: one line of the standard output. */
  print(line: string): void;
  /** What is said beside it: a line of the standard error. */
  say(line: string): void;
  /** Null where nobody is there to answer. */
  ask: ((question: string) => Promise<string>) | null;
  fetch: Fetch;
  /** Null where the runtime has none (Node 20). */
  WebSocket: OpensSocket | null;
  clock: Clock;
  /** From 0 to below 1. */
  random(): number;
  /** Ends early when `ending` says so. */
  pause(ms: number): Promise<void>;
  /** Ends what goes on until it is ended. */
  ending: AbortSignal;
}

export function systemIo(): Io {
  const ended = new AbortController();
  // The second one ends at once, as without us.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ended.abort());
  // Nobody reads any more (`roundup watch | head`): a payment under way is finished, and nothing else begun.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    ended.abort();
  });
  return {
    env: process.env,
    home: homedir(),
    print: (line) => console.log(line),
    say: (line) => console.error(line),
    ask: process.stdin.isTTY && process.stderr.isTTY ? ask : null,
    fetch: systemFetch,
    WebSocket: (globalThis.WebSocket as unknown as OpensSocket | undefined) ?? null,
    clock: systemClock,
    random: Math.random,
    pause: (ms) => setTimeout(ms, undefined, { signal: ended.signal }).catch(() => {}),
    ending: ended.signal,
  };
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
