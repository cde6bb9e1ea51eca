import { ApiError } from "../calls/api-error";
import type { Confirm, Result } from "../flow/drive";
import type { Io } from "./io";
import { toJson, toOneLine } from "./output/text";
import type { GlobalOptions } from "./state/session";
import { UsageError } from "./usage-error";

/** Exit codes of the command, by payment status. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  elsewhere: 3,
  cancelled: 4,
  unknown: 5,
  earlier: 6,
} as const;

/** A name and its value: one row of the table. */
export type Figure = [name: string, value: string];

/** A payment that the command can show and run. */
export interface Payment<B, D> {
  run(confirm: Confirm<B>): Promise<Result<D, B>>;
  /** Returns the figures to show before signing: the amount sent, the amount received, and the costs. */
  toFigures(build: B): Figure[];
  /** Members of the build that the JSON output omits besides those of the flow. */
  hides?: readonly string[];
}

export interface PayOptions extends GlobalOptions {
  dryRun?: boolean;
}

/**
 * Shows a payment, asks for confirmation, runs it and prints the outcome.
 * @returns the exit code
 * @throws {UsageError} when there is no terminal and neither `--yes` nor `--dry-run` is set
 */
export async function runPayment<B, D>(
  options: PayOptions,
  io: Io,
  { run, toFigures, hides = [] }: Payment<B, D>,
): Promise<number> {
  const { json, yes, dryRun } = options;
  if (!yes && !dryRun && !io.ask)
    throw new UsageError("There is no terminal to ask: give --yes, or --dry-run to sign nothing.");
  const show = json ? io.say : io.print;
  let shown: B | null = null;
  const result = await run(async (build, note, landed) => {
    shown = build;
    if (note) io.say(note);
    if (landed.length > 0) for (const line of [...formatLanded(landed), LANDED_BEFORE]) io.say(line);
    if (!json || !yes) for (const line of formatTable(toFigures(build))) show(line);
    if (dryRun) return false;
    return yes || /^y(es)?$/i.test(((await io.ask?.("Sign and send it? [y/N] ")) ?? "").trim());
  });
  const status = dryRun && result.status === "cancelled" ? "shown" : result.status;
  if (json) io.print(toJson(toDocument(result, status, shown, hides)));
  else
    for (const line of formatLines(result, status))
      (status === "done" || status === "shown" ? io.print : io.say)(toOneLine(line));
  return status === "shown" ? EXIT.done : EXIT[status];
}

/** Formats figures as lines with aligned values. */
export function formatTable(figures: Figure[]): string[] {
  const width = Math.max(0, ...figures.map(([name]) => name.length));
  return figures.map(([name, value]) => toOneLine(`${name.padEnd(width)}  ${value}`));
}

const formatLanded = (transactions: { label: string; txSignature: string }[]) =>
  transactions.map(({ label, txSignature }) => `${label}: ${txSignature}`);

const LANDED_BEFORE = "These transactions have landed and are not paid again. This is the rest.";

const EARLIER_OUTCOMES = {
  landed: "An earlier, different request was still open, and has now landed.",
  in_part: "An earlier, different request was still open. These of its transactions landed, and the rest was not sent.",
  unknown: "The outcome of an earlier, different request is not known yet.",
};

function formatLines<B, D>(result: Result<D, B>, status: string): string[] {
  const before = "transactions" in result ? formatLanded(result.transactions) : [];
  const unsigned = [...before, before.length > 0 ? "Nothing more was signed." : "Nothing was signed."];
  if (status === "shown") return unsigned;
  switch (result.status) {
    case "done":
      return before;
    case "refused":
      return [...before, result.reason];
    case "cancelled":
      return unsigned;
    case "failed":
      return [...before, result.error.message || result.error.name];
    case "elsewhere":
      return [...before, `A different device or program has sent this, or is sending it. ${result.error.message}`];
    case "earlier":
      return [...before, `${EARLIER_OUTCOMES[result.outcome]} This request was not started: run it again.`];
    case "unknown":
      return [
        `${result.error?.message ?? "The outcome is not known yet."} Run the same command again: it resolves the outcome first.`,
      ];
  }
}

/** Members of a build that the JSON output omits: the bytes for the signer, and the state of the flow. */
const INTERNAL_MEMBERS = ["transaction", "unsigned", "instructions", "lastValidBlockHeight", "ready", "blocked"];

function toDocument<B, D>(result: Result<D, B>, status: string, shown: B | null, hides: readonly string[]) {
  const build = shown ?? (result.status === "refused" ? result.build : null);
  const hidden = new Set([...INTERNAL_MEMBERS, ...hides]);
  const hide = (name: string, value: unknown) => (hidden.has(name) ? undefined : value);
  const transactions = "transactions" in result ? result.transactions : [];
  return {
    status,
    ...(result.status === "refused" && { reason: result.reason }),
    ...(result.status === "earlier" && { request: result.request, outcome: result.outcome }),
    ...("error" in result && result.error && { error: toErrorFields(result.error) }),
    build: build && JSON.parse(JSON.stringify({ ...build, reason: undefined }, hide)),
    transactions: transactions.map(({ label, txSignature }) => ({ label, txSignature })),
  };
}

export const toErrorFields = (error: Error) => ({
  ...(error instanceof ApiError && {
    code: error.code,
    requestId: error.requestId,
    ...(error.retryAfterMs !== null && { retryAfterMs: error.retryAfterMs }),
  }),
  message: error.message || error.name,
});
