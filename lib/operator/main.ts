import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { EnvError, type OperatorEnv, parseOperatorEnv, readProcessEnv } from "../env";
import { systemClock } from "../sdk/platform";
import { backUpStore, restoreStore } from "./backup";
import { openConnection } from "./chain";
import { initOperator, printStatus } from "./commands";
import { COMMAND_LINE_EXIT_CODE, OperatorFailure } from "./failure";
import { fundCollectors } from "./fund";
import { printKeyUsage } from "./key-usage";
import { readOperatorFile } from "./operator-file";
import { type Command, HELP_TEXT, parseCommand } from "./parse-command";
import { setPause } from "./pause";
import { sweepCollectors } from "./sweep";

// Only the operator's own user may read the files that this command writes.
process.umask(0o077);
// In the bundle, web3.js uses a module that newer Node versions deprecate. Their warning would mix with this command's
// errors.
process.noDeprecation = true;

/** Prints results to stdout. Errors go to stderr. */
const print = (text: string) => console.log(text);

async function runCommand(command: Command, env: OperatorEnv): Promise<void> {
  if (command.name === "help") return print(HELP_TEXT);
  if (command.name === "pause") return setPause(env, command, print);
  if (command.name === "usage") return printKeyUsage(env, { ...command, now: Date.now() }, print);
  if (command.name === "backup") return backUpStore(env, command.folder, print);
  if (command.name === "restore") return restoreStore(env, command.folder, print);
  if (command.name === "init") return initOperator({ ...command, seed: new Uint8Array(randomBytes(32)), print });

  const operatorFile = await readOperatorFile(command.file);
  if (!operatorFile)
    throw new OperatorFailure(`There is no operator file at ${command.file}; run init first, or name it with --file.`);
  const { priorityFee } = env;
  const session = { chain: openConnection(command.rpcUrl), operatorFile, clock: systemClock, priorityFee, print };
  if (command.name === "status") process.exitCode = await printStatus(session, command);
  else await (command.name === "fund" ? fundCollectors : sweepCollectors)(session, command);
}

try {
  const env = parseOperatorEnv(readProcessEnv());
  await runCommand(parseCommand(process.argv.slice(2), { ...env, home: homedir() }), env);
} catch (error) {
  const isPlanned = error instanceof OperatorFailure || error instanceof EnvError;
  process.exitCode = error instanceof OperatorFailure ? error.exitCode : 1;
  console.error(isPlanned ? error.message : `This is a bug in the command: ${error}`);
  if (process.exitCode === COMMAND_LINE_EXIT_CODE) console.error(`\n${HELP_TEXT}`);
}
