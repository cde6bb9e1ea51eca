import { Command, CommanderError, Option } from "commander";
import type { CommandPart } from "./command-part";
import { addCompletion } from "./commands/completion";
import { addMcp } from "./commands/mcp";
import { addMoney } from "./commands/money-commands";
import { addPrices } from "./commands/prices";
import { addReads } from "./commands/read-commands";
import { addRecover } from "./commands/recover";
import { addWatch } from "./commands/watch";
import type { Io } from "./io";
import { toJson } from "./output/format";
import { cleanText, oneLine } from "./output/text";
import { EXIT, errorOf } from "./run-payment";
import { DEFAULT_URL } from "./state/session";
import { UsageError } from "./usage-error";

const EXIT_CODES = `
It exits 0 when it is done, 1 when it failed, 2 when asked wrongly, 3 when there is nothing to do, another device has done
it, or it cannot be done (the reason is said), 4 when you said no, 5 when it is not known yet whether something landed: run
the same again, it asks first, 6 when it found out about an earlier one that was open: run this one again.`;

/**
 * Runs the command line. Each command is a module in commands/. Code that pages or servers also need belongs outside
 * cli/.
 * @param argv the arguments after the program's name
 * @returns the exit code
 */
export async function runCli(argv: string[], world: Io): Promise<number> {
  let code: number = EXIT.done;
  const io = withCleanText(world);
  const program = newProgram(io);
  const setAction: CommandPart["setAction"] = (command, act) =>
    command.action(async () => {
      code = await act(command);
    });
  for (const add of [addReads, addPrices, addMoney, addWatch, addRecover, addMcp, addCompletion])
    add({ program, io, setAction });
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const usage = error instanceof UsageError;
    if (program.opts().json && !usage) io.print(toJson({ status: "failed", error: errorOf(error as Error) }));
    else io.say(oneLine((error as Error).message || (error as Error).name));
    return usage ? EXIT.usage : EXIT.failed;
  }
}

/** Strips control characters from all output, because service and chain texts could rewrite the terminal. */
const withCleanText = (io: Io): Io => ({
  ...io,
  print: (line) => io.print(cleanText(line)),
  say: (line) => io.say(cleanText(line)),
});

function newProgram(io: Io): Command {
  const lines = (write: (line: string) => void) => (text: string) => write(text.replace(/\n$/, ""));
  return new Command("roundup")
    .description("Saves the spare change of a Solana wallet and invests it. The key stays on this machine.")
    .addOption(new Option("--url <url>", `where the service answers (${DEFAULT_URL})`).env("ROUNDUP_URL"))
    .addOption(
      new Option("--origin <origin>", "what its texts must name: the origin of --url, or sandbox").env(
        "ROUNDUP_ORIGIN",
      ),
    )
    .addOption(
      new Option("--keypair <file>", "your wallet, as the Solana CLI keeps it (~/.config/solana/id.json)").env(
        "ROUNDUP_KEYPAIR",
      ),
    )
    .option("--json", "answer in one JSON document; amounts in base units are digits")
    .option("--yes", "sign without asking")
    .addHelpText("after", EXIT_CODES)
    .showHelpAfterError("Add --help to see what there is.")
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({ writeOut: lines(io.print), writeErr: lines(io.say) });
}
