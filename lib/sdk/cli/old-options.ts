import { applyNewNames, type NewNames, toNewName } from "../old-names";
import type { Io } from "./io";

/** Old and new names of the options that were renamed, without dashes. Older profiles store the old names. */
export const OLD_OPTIONS: NewNames = {
  allocation: "allocations",
  threshold: "threshold-usd",
  ceiling: "ceiling-usd",
  "round-to": "round-to-usd",
  every: "every-usd",
  weekly: "weekly-usd",
  keep: "keep-sol",
  interval: "interval-seconds",
  "max-per-action": "max-per-action-usd",
  "max-per-day": "max-per-day-usd",
  to: "destination",
  days: "expires-in-days",
};

const mapNames = (format: (name: string) => string): NewNames =>
  Object.fromEntries(Object.entries(OLD_OPTIONS).map(([oldName, newName]) => [format(oldName), format(newName)]));

const OLD_FLAGS = mapNames((name) => `--${name}`);
const OLD_VARIABLES = mapNames((name) => `ROUNDUP_${name.toUpperCase().replaceAll("-", "_")}`);

/** Returns the arguments with new option names. @throws {RangeError} when an option is given under both names */
export function renameFlags(argv: string[], warn: (line: string) => void): string[] {
  const readFlagName = (argument: string) => argument.split("=", 1)[0]!;
  // This call warns about old names and throws the error. The code below replaces the names.
  applyNewNames(Object.fromEntries(argv.map((argument) => [readFlagName(argument), argument])), OLD_FLAGS, warn);
  return argv.map((argument) => {
    const flag = readFlagName(argument);
    return toNewName(flag, OLD_FLAGS) + argument.slice(flag.length);
  });
}

/** Returns the environment with new variable names. @throws {RangeError} when a variable is set under both names */
export const renameVariables = (env: Io["env"], warn: (line: string) => void) =>
  applyNewNames<Io["env"]>(env, OLD_VARIABLES, warn);
