import { Command, CommanderError } from "commander";
import { version } from "../../package.json";
import { addConfigCommands } from "./commands/config";
import { addAirdropCommand, addKeyCommands } from "./commands/key-commands";
import { addListenCommand } from "./commands/listen";
import { addMcpCommand } from "./commands/mcp";
import { addMoneyCommands } from "./commands/money-commands";
import { addReadCommands } from "./commands/read-commands";
import { addRecoverCommand } from "./commands/recover";
import { addWatchCommand } from "./commands/watch";
import type { CommandContext, Io } from "./io";
import { createPathParser, createStorableOption } from "./options";
import { cleanText, printAnswer, toOneLine } from "./output/text";
import { EXIT_CODES, toErrorFields } from "./run-payment";
import { DEFAULT_URL } from "./state/session";
import { UsageError } from "./usage-error";

const EXIT_CODES_HELP = `
Exit codes:
  0  done
  1  failed
  2  the command is invalid
  3  nothing to do, refused with a reason, or done by a different device
  4  you declined
  5  the outcome is not known yet: run the same command again, which resolves it first
  6  an earlier, different request was resolved first: run this command again`;

/** Runs the command line, without the program's name. Prints its error. @returns the exit code */
export async function runCli(argv: string[], systemIo: Io): Promise<number> {
  let exitCode: number = EXIT_CODES.done;
  const io = withCleanText(systemIo);
  // Commander reports some errors before it has parsed the options.
  const isJson = argv.includes("--json");
  const program = createProgram(isJson ? { ...io, say: () => {} } : io);
  const setAction: CommandContext["setAction"] = (command, action) =>
    command.action(async () => {
      const result = await action(command);
      if (typeof result === "number") exitCode = result;
      else printAnswer(io, program.opts().json, result);
    });
  for (const addCommand of COMMANDS) addCommand({ program, io, setAction });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT_CODES.done;
    const isUsageError = error instanceof CommanderError || error instanceof UsageError;
    const status = isUsageError ? "usage" : "failed";
    // One line, because `watch` prints one document per line.
    if (isJson) io.print(JSON.stringify({ status, error: toErrorFields(error as Error) }));
    // Commander has printed its own errors.
    else if (!(error instanceof CommanderError)) io.say(toOneLine((error as Error).message || (error as Error).name));
    return EXIT_CODES[status];
  }
}

const COMMANDS = [
  addReadCommands,
  addMoneyCommands,
  addWatchCommand,
  addListenCommand,
  addRecoverCommand,
  addKeyCommands,
  addAirdropCommand,
  addMcpCommand,
  addConfigCommands,
];

/** Strips control characters from all output, because service and chain texts could rewrite the terminal. */
const withCleanText = (io: Io): Io => ({
  ...io,
  print: (line) => io.print(cleanText(line)),
  say: (line) => io.say(cleanText(line)),
});

const GLOBAL_OPTIONS = [
  ["--url <url>", `the address of the service (${DEFAULT_URL})`],
  ["--origin <origin>", "the origin that signed texts must name (the origin of --url; sandbox on this machine)"],
  ["--keypair <file>", "your wallet's key file, as the Solana CLI writes it (~/.config/solana/id.json)"],
  ["--wallet <address>", "your wallet's address, if --keypair is only its savings wallet's key file"],
  ["--profile <name>", "the stored options to use; see config (default)"],
] as const;

function createProgram(io: Io): Command {
  const createLineWriter = (write: (line: string) => void) => (text: string) => write(text.replace(/\n$/, ""));
  const program = new Command("roundup")
    .description("Saves the change of a Solana wallet and invests it. The key stays on this machine.")
    .version(version, "--version", "print the version");
  for (const [flags, description] of GLOBAL_OPTIONS) {
    const option = createStorableOption(flags, description);
    program.addOption(flags.endsWith("<file>") ? option.argParser(createPathParser(io.home)) : option);
  }
  return program
    .option("--json", "print one JSON document, even for an error; amounts in base units are strings")
    .option("--yes", "sign without asking")
    .addHelpText("after", EXIT_CODES_HELP)
    .showHelpAfterError("Add --help for all commands and options.")
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({ writeOut: createLineWriter(io.print), writeErr: createLineWriter(io.say) });
}
