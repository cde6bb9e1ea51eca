/**
 * The names that the previous release used for options. They are accepted until the next release, which deletes every
 * use of `applyNewNames`.
 */

/** Maps each old name to its new name. */
export type NewNames = Readonly<Record<string, string>>;

const warnedNames = new Set<string>();

/** Returns the new name of an option, or the same name if the option was not renamed. */
export const toNewName = (name: string, newNames: NewNames) => (Object.hasOwn(newNames, name) ? newNames[name]! : name);

/** Returns a copy of the options with renamed members. */
export const renameMembers = (options: object, newNames: NewNames) =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [toNewName(name, newNames), value]));

/**
 * Returns the options under their new names. Warns once in this process for each old name in use.
 * @throws {RangeError} when an option is given under both names
 */
export function applyNewNames<Options extends object>(
  givenOptions: object,
  newNames: NewNames,
  warn = console.warn,
): Options {
  const options = Object.fromEntries(Object.entries(givenOptions).filter(([, value]) => value !== undefined));
  for (const [oldName, newName] of Object.entries(newNames)) {
    if (!(oldName in options)) continue;
    if (newName in options) throw new RangeError(`${oldName} is the old name of ${newName}: give ${newName} only.`);
    if (!warnedNames.has(oldName))
      warn(`${oldName} is now called ${newName}. The old name ends with the next release.`);
    warnedNames.add(oldName);
  }
  return renameMembers(options, newNames) as Options;
}
