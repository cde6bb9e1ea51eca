import { InvalidArgumentError, Option } from "commander";
import { solToLamports, toMicroUsd } from "../../../domain/money";
import type { CommandPart } from "../command-part";
import { dollars } from "../options";
import { withPriceCheck } from "../price-check/options";
import { EXIT } from "../run-payment";
import { openSession } from "../state/session";

const ABOUT = `
A model asks, this program signs: within these limits, with the key file it was started with. What a model can be talked into
is bounded by them, whatever it says. They count what the chain shows and what is pending, so starting again resets nothing.`;

/** Adds `mcp`, which serves the other commands to a model as tools. */
export function addMcp({ program, io, setAction }: CommandPart): void {
  const mcp = program
    .command("mcp")
    .description("serves the rest of this to a model, over standard input and output (Model Context Protocol)")
    .addOption(cap("action", "one action may move so much", 25))
    .addOption(cap("day", "all that is saved, bought, sold and withdrawn in 24 hours, by whatever program", 50))
    .addOption(new Option("--keep <sol>", "stays in your wallet").argParser(sol).default(0.05).env("ROUNDUP_KEEP"))
    .addOption(
      new Option("--allow-destination <address>", "where withdrawals may go beside your own wallet; repeatable")
        .argParser((address: string, others: string[]) => [...others, address])
        .default([], "none"),
    )
    .addHelpText("after", ABOUT);
  setAction(withPriceCheck(mcp), async (command) => {
    const { maxPerAction, maxPerDay, keep, allowDestination: destinations, ...globals } = command.optsWithGlobals();
    const session = openSession(globals, io, { retries: 3 });
    const { serveMcp } = await import("../mcp/serve");
    const caps = {
      perActionMicroUsd: toMicroUsd(maxPerAction),
      perDayMicroUsd: toMicroUsd(maxPerDay),
      keepLamports: solToLamports(keep),
    };
    await serveMcp(session, { caps, destinations }, io);
    return EXIT.done;
  });
}

const cap = (of: "action" | "day", about: string, usd: number) =>
  new Option(`--max-per-${of} <usd>`, `at most: ${about}`)
    .argParser(dollars)
    .default(usd)
    .env(`ROUNDUP_MAX_PER_${of.toUpperCase()}`);

function sol(text: string): number {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text)) throw new InvalidArgumentError("It is an amount of SOL, e.g. 0.05.");
  return Number(text);
}
