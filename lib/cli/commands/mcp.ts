import { Option } from "commander";
import { solToLamports, toMicroUsd } from "../../domain/money";
import type { CommandContext } from "../io";
import { addKeepSolOption, createDollarOption } from "../options";
import { addPriceCheckOptions } from "../price-check";
import { EXIT_CODES } from "../run-payment";
import { openSession } from "../state/session";

const HELP_TEXT = `
The model requests actions, and this program signs them with your key file, within these limits. No tool can change a limit.
The limits count transactions on the chain and pending ones, so a restart does not reset them.`;

export function addMcpCommand({ program, io, setAction }: CommandContext): void {
  const mcp = program
    .command("mcp")
    .description("serve tools to a model over standard input and output (Model Context Protocol)")
    .addOption(createDollarOption("--max-per-action-usd <usd>", "the most that one action may move, in US dollars", 25))
    .addOption(
      createDollarOption(
        "--max-per-day-usd <usd>",
        "the most that all programs may save, buy, sell and withdraw in 24 hours",
        50,
      ),
    )
    .addOption(
      createDollarOption(
        "--max-per-month-usd <usd>",
        "the most that all programs may move in a calendar month, local time (no limit)",
      ),
    )
    .addOption(
      new Option("--allow-destination <address>", "allow withdrawals to this address too; repeatable")
        .argParser((address: string, addresses: string[]) => [...addresses, address])
        .default([], "none"),
    )
    .addHelpText("after", HELP_TEXT);
  setAction(addPriceCheckOptions(addKeepSolOption(mcp)), async (command) => {
    const { maxPerActionUsd, maxPerDayUsd, maxPerMonthUsd, keepSol, allowDestination, ...globals } =
      command.optsWithGlobals();
    // Load the protocol's library only here, because it would slow the start of every other command.
    const { serveMcp } = await import("../mcp/serve-stdio");
    const { createClientOptions } = await import("../mcp/tool-call");
    const { fetch, ...clientOptions } = createClientOptions(io.fetch);
    const session = openSession(globals, { ...io, fetch }, clientOptions);
    const limits = {
      perActionMicroUsd: toMicroUsd(maxPerActionUsd),
      perDayMicroUsd: toMicroUsd(maxPerDayUsd),
      perMonthMicroUsd: maxPerMonthUsd === undefined ? null : toMicroUsd(maxPerMonthUsd),
      keepLamports: solToLamports(keepSol),
    };
    await serveMcp(session, { limits, destinations: allowDestination }, io);
    return EXIT_CODES.done;
  });
}
