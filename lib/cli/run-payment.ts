import { ApiError } from "../sdk/calls/api-error";
import type { Confirm, Result } from "../sdk/flow/run-flow";
import type { Io } from "./io";
import { formatTable, type OptionalRow, toJson, toOneLine } from "./output/text";
import type { GlobalOptions } from "./state/session";
import { UsageError } from "./usage-error";

/** Exit codes of the command, by the status of an action. `usage` means that the command line is invalid. */
export const EXIT_CODES = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  elsewhere: 3,
  cancelled: 4,
  unknown: 5,
  earlier: 6,
} as const;

export interface Payment<Build, About> {
  run(confirm: Confirm<Build>): Promise<Result<About, Build>>;
  /** Returns the table to show before signing: the amount sent, the amount received, and the costs. */
  toRows(build: Build): OptionalRow[];
  hiddenMembers?: readonly string[];
}

/**
 * Shows an action, asks for confirmation, runs it and prints the outcome. @returns the exit code
 * @throws {UsageError} when there is no terminal and neither `--yes` nor `--dry-run` is set
 */
export async function runPayment<Build, About>(
  options: GlobalOptions & { dryRun?: boolean },
  io: Io,
  { run, toRows, hiddenMembers = [] }: Payment<Build, About>,
): Promise<number> {
  const { json, yes, dryRun } = options;
  if (!yes && !dryRun && !io.ask)
    throw new UsageError("There is no terminal to ask: give --yes, or --dry-run to sign nothing.");
  const printRow = json ? io.say : io.print;
  let shownBuild: Build | null = null;
  const result = await run(async (build, note, landedSteps) => {
    shownBuild = build;
    if (note) io.say(note);
    if (landedSteps.length > 0)
      for (const line of [...formatLandedLines(landedSteps), LANDED_BEFORE_NOTE]) io.say(line);
    if (!json || !yes) for (const line of formatTable(toRows(build))) printRow(line);
    if (dryRun) return false;
    return yes || /^y(es)?$/i.test(((await io.ask?.("Sign and send it? [y/N] ")) ?? "").trim());
  });
  const status = dryRun && result.status === "cancelled" ? "shown" : result.status;
  if (json) io.print(toJson(toJsonDocument(result, status, shownBuild, hiddenMembers)));
  else
    for (const line of formatOutcome(result))
      (status === "done" || status === "shown" ? io.print : io.say)(toOneLine(line));
  return status === "shown" ? EXIT_CODES.done : EXIT_CODES[status];
}

const formatLandedLines = (transactions: { label: string; txSignature: string }[]) =>
  transactions.map(({ label, txSignature }) => `${label}: ${txSignature}`);

const LANDED_BEFORE_NOTE = "These transactions have landed and are not paid again. This is the rest.";

const EARLIER_OUTCOMES = {
  landed: "An earlier, different request was still open, and has now landed.",
  in_part: "An earlier, different request was still open. These of its transactions landed, and the rest was not sent.",
  unknown: "The outcome of an earlier, different request is not known yet.",
};

function formatOutcome(result: Result<unknown, unknown>): string[] {
  const landedLines = "transactions" in result ? formatLandedLines(result.transactions) : [];
  switch (result.status) {
    case "done":
      return landedLines;
    case "refused":
      return [...landedLines, result.reason];
    case "cancelled":
      return [...landedLines, landedLines.length > 0 ? "Nothing more was signed." : "Nothing was signed."];
    case "failed":
      return [...landedLines, result.error.message || result.error.name];
    case "elsewhere":
      return [...landedLines, `A different device or program has sent this, or is sending it. ${result.error.message}`];
    case "earlier":
      return [...landedLines, `${EARLIER_OUTCOMES[result.outcome]} This request was not started: run it again.`];
    case "unknown":
      return [
        `${result.error?.message ?? "The outcome is not known yet."} Run the same command again: it resolves the outcome first.`,
      ];
  }
}

/** Members of every build that the JSON output omits: the bytes for the signer, and the state of the flow. */
const INTERNAL_MEMBERS = ["transaction", "unsigned", "instructions", "lastValidBlockHeight", "ready", "blocked"];

function toJsonDocument<Build, About>(
  result: Result<About, Build>,
  status: string,
  shownBuild: Build | null,
  hiddenMembers: readonly string[],
) {
  const build = shownBuild ?? (result.status === "refused" ? result.build : null);
  const hiddenNames = new Set([...INTERNAL_MEMBERS, ...hiddenMembers]);
  const omitHidden = (name: string, value: unknown) => (hiddenNames.has(name) ? undefined : value);
  const transactions = "transactions" in result ? result.transactions : [];
  return {
    status,
    ...(result.status === "refused" && { reason: result.reason }),
    ...(result.status === "earlier" && { request: result.request, outcome: result.outcome }),
    ...("error" in result && result.error && { error: toErrorFields(result.error) }),
    build: build && JSON.parse(JSON.stringify({ ...build, reason: undefined }, omitHidden)),
    transactions: transactions.map(({ label, txSignature }) => ({ label, txSignature })),
  };
}

/** Returns what the JSON output says about an error. Only an error of the service has a code and a request id. */
export const toErrorFields = (error: Error) => ({
  ...(error instanceof ApiError && {
    code: error.code,
    requestId: error.requestId,
    ...(error.retryAfterMs !== null && { retryAfterMs: error.retryAfterMs }),
  }),
  message: error.message || error.name,
});
