import { join } from "node:path";
import { useNewNames } from "../../old-names";
import type { Io } from "../io";
import { OLD_OPTIONS } from "../old-options";
import { UsageError, withUsageErrors } from "../usage-error";
import { createFileStorage } from "./files";

/** Values of options, by the option's name without dashes. */
export type Profile = Record<string, string>;

/** Creates a store that keeps each profile in its own file of the user's configuration folder. */
export function createProfileFiles({ env, home, say }: Io) {
  const folder = join(env.XDG_CONFIG_HOME || join(home, ".config"), "roundup");
  const storage = createFileStorage(folder);
  const parseProfile = (text: string, name: string): Profile => {
    try {
      return JSON.parse(text);
    } catch {
      throw new UsageError(`The file of the profile ${name} in ${folder} is not JSON.`);
    }
  };
  return {
    /** Returns null for a profile without a file. @throws {UsageError} on a damaged file */
    read(name: string): Profile | null {
      const text = storage.get(name) as string | null;
      return text === null ? null : withUsageErrors(() => useNewNames(parseProfile(text, name), OLD_OPTIONS, say));
    },
    write: (name: string, profile: Profile) => void storage.set(name, `${JSON.stringify(profile)}\n`),
  };
}
