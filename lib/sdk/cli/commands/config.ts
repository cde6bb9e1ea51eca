import { resolve } from "node:path";
import type { Command, Option } from "commander";
import { toNewName } from "../../old-names";
import type { CommandPart, Io } from "../io";
import { OLD_OPTIONS, renameVariables } from "../old-options";
import { printAnswer } from "../output/text";
import { EXIT, formatTable } from "../run-payment";
import { createProfileFiles, type Profile } from "../state/profiles";
import { readOption, UsageError } from "../usage-error";

/** Adds `config`, which stores default values of options, and applies them to every command. */
export function addConfig({ program, io, setAction }: CommandPart): void {
  const profiles = createProfileFiles(io);
  const getProfileName = () => program.opts().profile ?? DEFAULT;
  program.hook("preAction", (_program, command) => {
    if (command.parent === config) return;
    const env = readOption(() => renameVariables(io.env, io.say));
    applyProfile(command, read(getProfileName()), env);
  });
  const read = (name: string): Profile => {
    const profile = profiles.read(name);
    if (profile === null && name !== DEFAULT) throw new UsageError(`There is no profile ${name}.`);
    return profile ?? {};
  };

  const config = program.command("config").description("show or store default options, in a profile");
  const list = config.command("list", { isDefault: true }).description("show the stored options");
  setAction(list, async () => {
    const profile = read(getProfileName());
    printAnswer(io, program.opts().json, profile, formatTable(Object.entries(profile)));
    return EXIT.done;
  });
  const set = config
    .command("set")
    .description("store an option; any option with a ROUNDUP_… variable, e.g. plan")
    .argument("<name>", "name of the option, without dashes")
    .argument("<value>");
  setAction(set, async () => {
    const [given, value] = set.processedArgs as [string, string];
    const name = toNewName(given, OLD_OPTIONS);
    const options = listStorableOptions(program);
    const option = options.get(name);
    if (!option) throw new UsageError(`${name} is none of ${[...options.keys()].sort().join(", ")}.`);
    parseValue(option, value);
    const stored = name === "keypair" ? resolve(value) : value;
    profiles.write(getProfileName(), { ...profiles.read(getProfileName()), [name]: stored });
    return EXIT.done;
  });
  const unset = config
    .command("unset")
    .description("remove a stored value")
    .argument("<name>", "name of the option, without dashes");
  setAction(unset, async () => {
    const { [toNewName(unset.processedArgs[0], OLD_OPTIONS)]: _removed, ...rest } = read(getProfileName());
    profiles.write(getProfileName(), rest);
    return EXIT.done;
  });
}

const DEFAULT = "default";

/** Returns the options that a profile may set. Each has an environment variable, so it cannot be `--yes`. */
function listStorableOptions(program: Command): Map<string, Option> {
  const options = [program, ...program.commands].flatMap((command) => command.options);
  const storable = options.filter(({ envVar, long }) => envVar !== undefined && long !== "--profile");
  return new Map(storable.map((option) => [option.long!.slice(2), option]));
}

/** @throws {UsageError} when the option does not accept the value */
const parseValue = (option: Option, value: string) => readOption(() => option.parseArg?.(value, undefined) ?? value);

/**
 * Sets the profile's values where neither the command line nor the environment sets one.
 * @param env also contains variables with old names, which Commander does not read
 */
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
