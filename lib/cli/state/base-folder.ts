import { isAbsolute, join } from "node:path";
import { expandHome } from "../../domain/home-path";
import type { Io } from "../io";
import { UsageError, withUsageErrors } from "../usage-error";

/** The default of each variable, below the home folder. Source: XDG Base Directory Specification 0.8. */
const DEFAULT_FOLDERS = { XDG_CONFIG_HOME: ".config", XDG_STATE_HOME: ".local/state" };

/**
 * Returns the folder that a variable of the XDG standard names, and what to do when it cannot be written. A relative
 * path is ignored, as the standard demands.
 * @throws {UsageError} when neither the variable nor HOME names a folder
 */
export function findBaseFolder({ env, home }: Pick<Io, "env" | "home">, variable: keyof typeof DEFAULT_FOLDERS) {
  const namedFolder = withUsageErrors(() => expandHome(env[variable] ?? "", home));
  const folder = isAbsolute(namedFolder) ? namedFolder : join(home, DEFAULT_FOLDERS[variable]);
  if (!isAbsolute(folder)) throw new UsageError(`There is no home folder. Set HOME, or ${variable} to a folder.`);
  return { folder, advice: `${variable} can name another folder.` };
}
