/**
 * The names that the previous release used for options. They are accepted until the next release, which deletes every
 * use of `useNewNames`.
 */

/** Maps each old name to its new name. */
export type OldNames = Readonly<Record<string, string>>;

const warned = new Set<string>();

/** Returns the new name of an option; the same name if it has no other. */
export const toNewName = (name: string, names: OldNames) => (Object.hasOwn(names, name) ? names[name]! : name);

/** Returns a copy with renamed members. */
export const renameMembers = (given: object, names: OldNames) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [toNewName(name, names), value]));

/**
 * Returns the options under their new names. Warns once in this process for each old name in use.
 * @throws {RangeError} when an option is given under both names
 */
export function useNewNames<T extends object>(given: object, names: OldNames, warn = console.warn): T {
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const [old, name] of Object.entries(names)) {
    if (!(old in options)) continue;
    if (name in options) throw new RangeError(`${old} is the old name of ${name}: give ${name} only.`);
    if (!warned.has(old)) warn(`${old} is now called ${name}. The old name ends with the next release.`);
    warned.add(old);
  }
  return renameMembers(options, names) as T;
}
