import { resolve } from "node:path";
import type { Command, Option } from "commander";
import { toNewName } from "../../old-names";
import type { CommandPart, Io } from "../io";
import { OLD_OPTIONS, renameVariables } from "../old-options";
import { printAnswer } from "../output/text";
import { EXIT, formatTable } from "../run-payment";
import { createProfileFiles, type Profile } from "../state/profiles";
import { UsageError, withUsageErrors } from "../usage-error";

/** Adds `config`, which stores default values of options, and applies them to every command. */
export function addConfig({ program, io, setAction }: CommandPart): void {
  const profiles = createProfileFiles(io);
  const getProfileName = () => program.opts().profile ?? DEFAULT_PROFILE;
  program.hook("preAction", (_program, command) => {
    if (command.parent === config) return;
    const env = withUsageErrors(() => renameVariables(io.env, io.say));
    applyProfile(command, readProfile(getProfileName()), env);
  });
  const readProfile = (name: string): Profile => {
    const profile = profiles.read(name);
    if (profile === null && name !== DEFAULT_PROFILE) throw new UsageError(`There is no profile ${name}.`);
    return profile ?? {};
  };

  const config = program.command("config").description("show or store default options, in a profile");
  const list = config.command("list", { isDefault: true }).description("show the stored options");
  setAction(list, async () => {
    const profile = readProfile(getProfileName());
    printAnswer(io, program.opts().json, profile, formatTable(Object.entries(profile)));
    return EXIT.done;
  });
  const set = config
    .command("set")
    .description("store an option; any option with a ROUNDUP_… variable, e.g. plan")
    .argument("<name>", "name of the option, without dashes")
    .argument("<value>");
  setAction(set, async () => {
    const [givenName, value] = set.processedArgs as [string, string];
    const name = toNewName(givenName, OLD_OPTIONS);
    const options = listStorableOptions(program);
    const option = options.get(name);
    if (!option) throw new UsageError(`${name} is none of ${[...options.keys()].sort().join(", ")}.`);
    parseValue(option, value);
    const storedValue = name === "keypair" ? resolve(value) : value;
    profiles.write(getProfileName(), { ...profiles.read(getProfileName()), [name]: storedValue });
    return EXIT.done;
  });
  const unset = config
    .command("unset")
    .description("remove a stored value")
    .argument("<name>", "name of the option, without dashes");
  setAction(unset, async () => {
    const { [toNewName(unset.processedArgs[0], OLD_OPTIONS)]: _removed, ...remainingOptions } = readProfile(
      getProfileName(),
    );
    profiles.write(getProfileName(), remainingOptions);
    return EXIT.done;
  });
}

const DEFAULT_PROFILE = "default";

/** Returns the options that a profile may set, by name. Each has an environment variable, which `--yes` has not. */
function listStorableOptions(program: Command): Map<string, Option> {
  const options = [program, ...program.commands].flatMap((command) => command.options);
  const storable = options.filter(({ envVar, long }) => envVar !== undefined && long !== "--profile");
  return new Map(storable.map((option) => [option.long!.slice(2), option]));
}

/** Parses a value as the command line would. @throws {UsageError} when the option does not accept the value */
const parseValue = (option: Option, value: string) =>
  withUsageErrors(() => option.parseArg?.(value, undefined) ?? value);

/**
 * Sets each option that has no value yet. Its variable in `env` comes first, then the profile.
 * @param env with renamed variables: Commander has not read those that were set under their old names
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
