/**
 * Replaces `~` at the beginning of a path by the home folder. A shell does so too, but not in a settings file, in a
 * unit of systemd or after the `=` of an option.
 * @param home empty if the system names none
 * @throws {Error} with a sentence when the path needs the home folder and there is none
 */
export function expandHome(path: string, home: string): string {
  if (path !== "~" && !path.startsWith("~/")) return path;
  if (home === "") throw new Error(`${path} is in the home folder, and HOME is not set`);
  return home + path.slice(1);
}
