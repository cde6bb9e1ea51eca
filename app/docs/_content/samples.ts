import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * This file reads what the guides and SKILL.md show. Tests run all the programs. The paths are literal, so that Next
 * includes the files in the build. Server only.
 */

export const SKILL = readFileSync(join(process.cwd(), "app/docs/_samples/skill.md"), "utf8").trimEnd();
export const WORKED_EXAMPLE = readFileSync(
  join(process.cwd(), "app/docs/_samples/worked-example.mjs"),
  "utf8",
).trimEnd();
export const SHELL_SIGN_IN = readFileSync(join(process.cwd(), "app/docs/_samples/sign-in.sh"), "utf8").trimEnd();
export const COMMAND_SETUP = readFileSync(join(process.cwd(), "app/docs/_samples/command-setup.sh"), "utf8").trimEnd();
export const REFUSAL = readFileSync(join(process.cwd(), "app/docs/_samples/refusal.json"), "utf8").trimEnd();
export const CHECK_WRAP = readFileSync(join(process.cwd(), "app/docs/_samples/check-wrap.mjs"), "utf8").trimEnd();
export const CHANGELOG = readFileSync(join(process.cwd(), "CHANGELOG.md"), "utf8");
export const CHECK_SWAP = readFileSync(join(process.cwd(), "app/docs/_samples/check-swap.mjs"), "utf8").trimEnd();
export const ROUND_UP_PYTHON = readFileSync(join(process.cwd(), "app/docs/_samples/round-up.py"), "utf8").trimEnd();
export const SDK_README = readFileSync(join(process.cwd(), "deploy/sdk/README.md"), "utf8");
export const CHECKOUT = readFileSync(join(process.cwd(), "examples/checkout.ts"), "utf8").trimEnd();
export const BACKEND = readFileSync(join(process.cwd(), "examples/backend.ts"), "utf8").trimEnd();
export const BOT = readFileSync(join(process.cwd(), "examples/bot.ts"), "utf8").trimEnd();

/**
 * Returns one function of the worked example with its comment.
 * @throws {RangeError} when the function does not exist
 */
export function readWorkedFunction(name: string): string {
  const match = new RegExp(`^(//.*\\n)?(async )?function ${name}\\([^]*?^}$`, "m").exec(WORKED_EXAMPLE);
  if (!match) throw new RangeError(`The worked example has no function ${name}`);
  return match[0];
}
