import { homedir } from "node:os";
import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";
import { styleText } from "node:util";
import type { Command } from "commander";
import { type Clock, type Fetch, systemClock, systemFetch } from "../sdk/platform";
import type { SocketConstructor } from "./watch/account-changes";

export interface Io {
  env: Record<string, string | undefined>;
  /** The user's home directory; empty if the system names none. */
  home: string;
  print(line: string): void;
  /** Prints one line of a message to standard error; yellow on a terminal, unless NO_COLOR is set. */
  say(line: string): void;
  /** Asks the user a question; null when there is no terminal. */
  ask: ((question: string) => Promise<string>) | null;
  fetch: Fetch;
  /** Null in a runtime without WebSocket (Node 20). */
  WebSocket: SocketConstructor | null;
  clock: Clock;
  /** Returns a number from 0 up to, but not including, 1. */
  random(): number;
  /** Waits this many milliseconds, or until `stopSignal` aborts. */
  pause(ms: number): Promise<void>;
  stopSignal: AbortSignal;
}

/** The result of a command: a value for `--json`, and lines for a person. */
export interface Answer {
  value: unknown;
  lines: string[];
}

export interface CommandContext {
  program: Command;
  io: Io;
  /**
   * Registers the action of a command. The action returns the exit code, or an answer. An answer is printed, and the
   * exit code is 0. `command.optsWithGlobals()` returns the options, the global ones included.
   */
  setAction(command: Command, action: (command: Command) => Promise<number | Answer>): void;
}

/** Installs signal handlers. */
export function createSystemIo(): Io {
  const stopController = new AbortController();
  // Handle only the first signal. A second one then ends the process at once, as the default handler does.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopController.abort());
  // EPIPE: the reader has closed the pipe, as in `roundup watch | head`. Finish the action in flight and start no other.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    stopController.abort();
  });
  return {
    env: process.env,
    home: findHome(),
    print: (line) => console.log(line),
    say: (line) => console.error(styleText("yellow", line, { stream: process.stderr })),
    ask: process.stdin.isTTY && process.stderr.isTTY ? askOnTerminal : null,
    fetch: systemFetch,
    WebSocket: (globalThis.WebSocket as unknown as SocketConstructor | undefined) ?? null,
    clock: systemClock,
    random: Math.random,
    pause: (ms) => setTimeout(ms, undefined, { signal: stopController.signal }).catch(() => {}),
    stopSignal: stopController.signal,
  };
}

function findHome(): string {
  try {
    return homedir();
  } catch {
    // The user has no entry in the system's list of users, as in some containers, and HOME is not set.
    return "";
  }
}

async function askOnTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
