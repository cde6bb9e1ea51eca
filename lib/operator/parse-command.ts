import { parseArgs } from "node:util";
import type { PublicKey } from "@solana/web3.js";
import { expandHome } from "../domain/home-path";
import { KEY_USAGE_DAYS } from "../domain/key-usage";
import { isPauseReason, MAX_REASON_LENGTH, type PausableAction, parsePausableActions } from "../domain/pause";
import { createCommandLineFailure } from "./failure";
import { parseTreasury } from "./operator-file";

export const HELP_TEXT = `Usage: npm run operator -- <command> [options]

  init --treasury <address>   create the operator file and print FEE_COLLECTORS
  fund [--execute]            bring the collectors over the rent-exempt minimum, and open their USDC accounts
  status [--json]             show every balance; exits 0 when every collector can take fees in SOL and USDC,
                              3 when one cannot, 4 when none can take SOL and nothing can be saved
  pause <save|invest|save,invest|none> [--reason <text>]
                              stop building savings, investments or both; none resumes both. Applies to every
                              instance on the same store (REDIS_URL or KV_REST_API_URL, else DATA_DIR/store).
                              Reading and withdrawing always go on. Like the next commands that open the
                              store, it needs the service's NETWORK
  sweep [--execute]           send the collectors' surplus and their USDC to the treasury
  usage [--days <n>] [--json] show the calls of each static key by UTC day, newest first (default: 7 days)
  backup <folder>             copy the embedded store (DATA_DIR/store) to a new folder while the service runs
  restore <folder>            copy a backup to DATA_DIR/store, which must not exist; stop the service first

  --file <path>   operator file (default: OPERATOR_FILE, else .data/operator.json)
  --rpc <url>     Solana node (default: SOLANA_RPC_URL, else http://127.0.0.1:8899)
  --execute       send; without it fund and sweep only show what they would send
  -h, --help      show this text`;

export type Command =
  | { name: "help" }
  | { name: "init"; file: string; treasury: PublicKey }
  | { name: "status"; file: string; rpcUrl: string; isJson: boolean }
  | { name: "pause"; actions: PausableAction[]; reason: string | null }
  | { name: "usage"; days: number; isJson: boolean }
  | { name: "backup"; folder: string }
  | { name: "restore"; folder: string }
  | { name: "fund" | "sweep"; file: string; rpcUrl: string; shouldSend: boolean };

const OPTIONS = {
  file: { type: "string" },
  rpc: { type: "string" },
  treasury: { type: "string" },
  execute: { type: "boolean" },
  json: { type: "boolean" },
  days: { type: "string" },
  reason: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

type Option = keyof typeof OPTIONS;

const ALLOWED_OPTIONS: Record<Exclude<Command["name"], "help">, readonly Option[]> = {
  init: ["file", "treasury"],
  status: ["file", "rpc", "json"],
  pause: ["reason"],
  fund: ["file", "rpc", "execute"],
  sweep: ["file", "rpc", "execute"],
  usage: ["days", "json"],
  backup: [],
  restore: [],
};

/** The values of absent options, and the home folder. */
interface Defaults {
  operatorFile: string;
  rpcUrl: string;
  home: string;
}

/** Commands that take one argument besides their options. */
const COMMANDS_WITH_ARGUMENT: readonly string[] = ["pause", "backup", "restore"];

/**
 * Parses the command line.
 * @param argv the arguments after the script's name
 * @throws {OperatorFailure} exit code 2 and one sentence, for anything the help text does not list
 */
export function parseCommand(argv: string[], defaults: Defaults): Command {
  const { positionals, values } = readOptions(argv);
  if (values.help) return { name: "help" };
  const [name, argument, ...extraArguments] = positionals;
  if (!isCommand(name)) throw createCommandLineFailure(name ? `There is no command ${name}.` : "Name a command.");
  if (argument !== undefined && !COMMANDS_WITH_ARGUMENT.includes(name))
    throw createCommandLineFailure(`${name} takes options only, not ${argument}.`);
  const unknownOption = (Object.keys(values) as Option[]).find((option) => !ALLOWED_OPTIONS[name].includes(option));
  if (unknownOption) throw createCommandLineFailure(`${name} does not take --${unknownOption}.`);

  if (name === "pause") return parsePause(extraArguments.length > 0 ? undefined : argument, values.reason);
  if (name === "backup" || name === "restore") {
    if (!argument || extraArguments.length > 0) throw createCommandLineFailure(`${name} takes one folder.`);
    return { name, folder: expandPath(argument, defaults.home) };
  }
  const { json: isJson = false, execute: shouldSend = false } = values;
  if (name === "usage") return { name, days: parseDays(values.days ?? "7"), isJson };
  const file = expandPath(values.file ?? defaults.operatorFile, defaults.home);
  if (file === "") throw createCommandLineFailure("--file needs a path.");
  if (name === "init") {
    if (values.treasury === undefined) throw createCommandLineFailure("init needs --treasury <address>.");
    return { name, file, treasury: parseTreasury(values.treasury) };
  }
  const rpcUrl = values.rpc ?? defaults.rpcUrl;
  if (!isHttpUrl(rpcUrl)) throw createCommandLineFailure("The RPC address must be an http or https URL.");
  return name === "status" ? { name, file, rpcUrl, isJson } : { name, file, rpcUrl, shouldSend };
}

/** Replaces `~` in a path. @throws {OperatorFailure} exit code 2 when there is no home folder */
function expandPath(path: string, home: string): string {
  try {
    return expandHome(path, home);
  } catch (error) {
    throw createCommandLineFailure(`${(error as Error).message}.`);
  }
}

/** Parses a number of days from 1 to KEY_USAGE_DAYS. @throws {OperatorFailure} exit code 2 for any other text */
function parseDays(text: string): number {
  const days = Number(text);
  if (!/^[1-9]\d*$/.test(text) || days > KEY_USAGE_DAYS)
    throw createCommandLineFailure(`--days takes a whole number from 1 to ${KEY_USAGE_DAYS}.`);
  return days;
}

/**
 * Parses the arguments of `pause`.
 * @param actionsText the actions as typed, such as "save,invest"; undefined unless exactly one argument was given
 * @throws {OperatorFailure} exit code 2 for unknown actions or an invalid reason
 */
function parsePause(actionsText: string | undefined, reason: string | undefined): Command {
  const actions = actionsText === "none" ? [] : parsePausableActions(actionsText?.split(",") ?? []);
  if (!actionsText || !actions)
    throw createCommandLineFailure("pause takes one of: save | invest | save,invest | none.");
  if (reason !== undefined && !isPauseReason(reason)) {
    throw createCommandLineFailure(`--reason takes 1 to ${MAX_REASON_LENGTH} printable characters.`);
  }
  return { name: "pause", actions, reason: reason ?? null };
}

function readOptions(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    // Keep only the first sentence: Node's message continues with advice that does not apply here.
    const [sentence = ""] = error instanceof Error ? error.message.split(/\. |\.?\n/) : [];
    throw createCommandLineFailure(`${sentence.replace(/\.$/, "") || "The options could not be read"}.`);
  }
}

function isCommand(name: string | undefined): name is keyof typeof ALLOWED_OPTIONS {
  return name !== undefined && Object.hasOwn(ALLOWED_OPTIONS, name);
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
