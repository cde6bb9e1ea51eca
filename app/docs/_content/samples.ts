import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Files that the guides and SKILL.md show, each run by a test. Spelled out whole, so that Next carries them along. Server only. */

const read = (path: string) => readFileSync(path, "utf8").trimEnd();

export const SKILL = read(join(process.cwd(), "app/docs/_samples/skill.md"));
export const WORKED_EXAMPLE = read(join(process.cwd(), "app/docs/_samples/worked-example.mjs"));
export const SHELL_SIGN_IN = read(join(process.cwd(), "app/docs/_samples/sign-in.sh"));
export const CHECK_WRAP = read(join(process.cwd(), "app/docs/_samples/check-wrap.mjs"));
export const CHECK_SWAP = read(join(process.cwd(), "app/docs/_samples/check-swap.mjs"));

/** One function of the worked example, with the remark above it. @throws {RangeError} when it has none of that name */
export function workedFunction(name: string): string {
  const found = new RegExp(`^(//.*\\n)?(async )?function ${name}\\([^]*?^}$`, "m").exec(WORKED_EXAMPLE);
  if (!found) throw new RangeError(`the worked example has no function ${name}`);
  return found[0];
}
