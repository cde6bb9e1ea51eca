import { join, resolve } from "node:path";
import type { Command, Option } from "commander";
import type { CommandContext, Io } from "../io";
import { formatTable } from "../output/text";
import { EXIT_CODES } from "../run-payment";
import { findBaseFolder } from "../state/base-folder";
import { createFileStorage } from "../state/file-storage";
import { refuseInlineKey } from "../state/key-file";
import { UsageError, withUsageErrors } from "../usage-error";

/** Adds `config`, which stores default values of options, and applies them to every command. */
export function addConfigCommands({ program, io, setAction }: CommandContext): void {
  const profiles = openProfiles(io);
  const getProfileName = () => program.opts().profile ?? DEFAULT_PROFILE;
  program.hook("preAction", (_program, command) => {
    // `config` may name a profile that does not exist yet.
    if (command.parent === config) return;
    applyProfile(command, readProfile(getProfileName()), io.env);
  });
  const readProfile = (name: string): Profile => {
    const profile = profiles.read(name);
    if (profile === null && name !== DEFAULT_PROFILE) throw new UsageError(`There is no profile ${name}.`);
    return profile ?? {};
  };

  const config = program.command("config").description("show or store default options, in a profile");
  const listCommand = config.command("list", { isDefault: true }).description("show the stored options");
  setAction(listCommand, async () => {
    const value = readProfile(getProfileName());
    return { value, lines: formatTable(Object.entries(value)) };
  });
  const setCommand = config
    .command("set")
    .description("store an option; any option with a ROUNDUP_… variable, e.g. plan")
    .argument("<name>", "name of the option, without dashes")
    .argument("<value>");
  setAction(setCommand, async () => {
    const [name, value] = setCommand.processedArgs as [string, string];
    const options = listStorableOptions(program);
    const option = options.get(name);
    if (!option) throw new UsageError(`${name} is none of ${[...options.keys()].sort().join(", ")}.`);
    if (name === "keypair") refuseInlineKey(value);
    const parsedValue = parseValue(option, value);
    const storedValue = name === "keypair" ? resolve(parsedValue as string) : value;
    profiles.write(getProfileName(), { ...profiles.read(getProfileName()), [name]: storedValue });
    return EXIT_CODES.done;
  });
  const unsetCommand = config
    .command("unset")
    .description("remove a stored value")
    .argument("<name>", "name of the option, without dashes");
  setAction(unsetCommand, async () => {
    const name: string = unsetCommand.processedArgs[0];
    const { [name]: _removed, ...remainingOptions } = readProfile(getProfileName());
    profiles.write(getProfileName(), remainingOptions);
    return EXIT_CODES.done;
  });
}

const DEFAULT_PROFILE = "default";

/** Values of options, by the option's name without dashes. */
type Profile = Record<string, string>;

/** Opens the profiles. Each has its own file in the user's configuration folder. */
function openProfiles({ env, home }: Io) {
  // The folder is not looked up at once, because the command's help needs none.
  const openFolder = () => {
    const { folder: configHome, advice } = findBaseFolder({ env, home }, "XDG_CONFIG_HOME");
    const folder = join(configHome, "roundup");
    return { folder, storage: createFileStorage(folder, advice) };
  };
  return {
    /** Returns null for a profile without a file. @throws {UsageError} on a damaged file */
    read(name: string): Profile | null {
      const { folder, storage } = openFolder();
      const text = storage.get(name) as string | null;
      if (text === null) return null;
      return parseProfile(text, `The file of the profile ${name} in ${folder} is not JSON.`);
    },
    write: (name: string, profile: Profile) => void openFolder().storage.set(name, `${JSON.stringify(profile)}\n`),
  };
}

/** Parses the text of a profile's file. @throws {UsageError} with this sentence when it is not JSON */
function parseProfile(text: string, sentence: string): Profile {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(sentence);
  }
}

/** Returns the options that a profile may set, by name: those with an environment variable, except `--profile`. */
function listStorableOptions(program: Command): Map<string, Option> {
  const options = [program, ...program.commands].flatMap((command) => command.options);
  const storableOptions = options.filter(({ envVar, long }) => envVar !== undefined && long !== "--profile");
  return new Map(storableOptions.map((option) => [option.long!.slice(2), option]));
}

/** Parses a value as the command line would. @throws {UsageError} when the option does not accept the value */
const parseValue = (option: Option, value: string) =>
  withUsageErrors(() => option.parseArg?.(value, undefined) ?? value);

/** Sets each option that has no value yet. Its variable in `env` comes first, then the profile. */
function applyProfile(command: Command, profile: Profile, env: Io["env"]): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const value = env[option.envVar ?? ""] ?? profile[option.long!.slice(2)];
    const isSet = ![undefined, "default"].includes(command.getOptionValueSource(name));
    if (value !== undefined && option.envVar !== undefined && !isSet)
      command.setOptionValueWithSource(name, parseValue(option, value), "config");
  }
  if (command.parent) applyProfile(command.parent, profile, env);
}
