import { join, resolve } from "node:path";
import type { Command, Option } from "commander";
import type { CommandContext } from "../io";
import { formatTable } from "../output/text";
import { EXIT_CODES } from "../run-payment";
import { createFileStorage, findBaseFolder } from "../state/file-storage";
import { refuseInlineKey } from "../state/key-file";
import { UsageError, withUsageErrors } from "../usage-error";

const DEFAULT_PROFILE = "default";

/** Values of options, by the option's name without dashes. */
type Profile = Record<string, string>;

/** Adds `config`, which stores default values of options, and applies them to every command. */
export function addConfigCommands({ program, io, setAction }: CommandContext): void {
  const getName = (): string => program.opts().profile ?? DEFAULT_PROFILE;
  // The folder is not looked up at once, because the command's help needs none.
  const openStorage = () => {
    const { folder, advice } = findBaseFolder(io, "XDG_CONFIG_HOME");
    return createFileStorage(join(folder, "roundup"), advice);
  };
  const readProfile = (mayBeNew = getName() === DEFAULT_PROFILE): Profile => {
    const text = openStorage().get(getName()) as string | null;
    if (text === null && !mayBeNew) throw new UsageError(`There is no profile ${getName()}.`);
    try {
      return JSON.parse(text ?? "{}");
    } catch {
      throw new UsageError(`The file of the profile ${getName()} is not JSON.`);
    }
  };
  const writeProfile = (profile: Profile) => {
    openStorage().set(getName(), `${JSON.stringify(profile)}\n`);
    return EXIT_CODES.done;
  };

  const config = program.command("config").description("show or store default options, in a profile");
  program.hook("preAction", (_program, command) => {
    // `config` may name a profile that does not exist yet.
    if (command.parent !== config) applyProfile(command, readProfile());
  });
  const listCommand = config.command("list", { isDefault: true }).description("show the stored options");
  setAction(listCommand, async () => {
    const value = readProfile();
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
    return writeProfile({ ...readProfile(true), [name]: name === "keypair" ? resolve(parsedValue as string) : value });
  });
  const unsetCommand = config
    .command("unset")
    .description("remove a stored value")
    .argument("<name>", "name of the option, without dashes");
  setAction(unsetCommand, async () => {
    const { [unsetCommand.processedArgs[0] as string]: _removed, ...remainingOptions } = readProfile();
    return writeProfile(remainingOptions);
  });
}

/** Returns the options that a profile may set, by name: those with an environment variable, except `--profile`. */
function listStorableOptions(program: Command): Map<string, Option> {
  const options = [program, ...program.commands].flatMap((command) => command.options);
  const storableOptions = options.filter(({ envVar, long }) => envVar !== undefined && long !== "--profile");
  return new Map(storableOptions.map((option) => [option.long!.slice(2), option]));
}

/** @throws {UsageError} when the option does not accept the value */
const parseValue = (option: Option, value: string) =>
  withUsageErrors(() => option.parseArg?.(value, undefined) ?? value);

/** Sets each storable option that neither the command line nor the environment has set. */
function applyProfile(command: Command, profile: Profile): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const value = profile[option.long!.slice(2)];
    const isSet = ![undefined, "default"].includes(command.getOptionValueSource(name));
    if (value !== undefined && option.envVar !== undefined && !isSet)
      command.setOptionValueWithSource(name, parseValue(option, value), "config");
  }
  if (command.parent) applyProfile(command.parent, profile);
}
