import type { Command } from "commander";
import { formatDecimal, formatExactUsd } from "../../../domain/money";
import type { Activity, Overview, Spending } from "../../reads";
import type { CommandPart } from "../io";
import { createWholeNumberParser } from "../options";
import { printAnswer, toOneLine } from "../output/text";
import { EXIT, type Figure, formatTable } from "../run-payment";
import { openSession } from "../state/session";

/** Adds the read-only commands `status`, `address` and `activity`. */
export function addReadCommands({ program, io, setAction }: CommandPart): void {
  const address = program.command("address").description("show the addresses of your wallet and your service wallet");
  setAction(address, async () => {
    const { roundup, wallet } = openSession(program.opts(), io);
    const serviceWallet = await roundup.serviceWallet();
    const figures: Figure[] = [
      ["Wallet", wallet],
      ["Service wallet", serviceWallet],
    ];
    printAnswer(io, program.opts().json, { wallet, serviceWallet }, formatTable(figures));
    return EXIT.done;
  });
  const status = program.command("status").description("show your balances, unsaved payments and prices");
  setAction(status, async () => {
    const overview = await openSession(program.opts(), io).roundup.overview();
    printAnswer(io, program.opts().json, overview, formatTable(toStatusFigures(overview)));
    return EXIT.done;
  });
  const activity = program.command("activity").description("list the transactions of your savings, newest first");
  setAction(addPageOptions(activity), async (command) => {
    const { limit, before, ...globals } = command.optsWithGlobals();
    const page = await openSession(globals, io).roundup.activity({ limit, before });
    printAnswer(io, globals.json, page, page.items.map(formatActivity));
    return EXIT.done;
  });
}

const addPageOptions = (command: Command) =>
  command
    .option("--limit <n>", "the number of items", createWholeNumberParser(1, 50), 20)
    .option("--before <signature>", "list only items older than this transaction");

/** Adds `spending`, which lists the payments that are not saved yet. */
export function addSpending({ program, io, setAction }: CommandPart): void {
  const spending = program
    .command("spending")
    .description("list your wallet's payments that are not saved yet, newest first");
  addPageOptions(spending).option(
    "--since <time>",
    "start of the list when nothing is saved yet, ISO 8601 (7 days ago)",
  );
  setAction(spending, async (command) => {
    const { limit, before, since, ...globals } = command.optsWithGlobals();
    const page = await openSession(globals, io).roundup.spending({ limit, before, since });
    if (!page.isComplete)
      io.say("The service is still reading the wallet's history. Run the command again for the rest.");
    printAnswer(io, globals.json, page, page.items.map(formatSpending));
    return EXIT.done;
  });
}

function toStatusFigures(overview: Overview) {
  const { portfolio, savings, spending, prices } = overview;
  const formatHoldings = (holdings: NonNullable<Overview["portfolio"]>): Figure[] =>
    holdings.balances.map(({ symbol, amount, decimals, usdValue }) => [
      `  ${symbol}`,
      `${formatDecimal(amount, decimals)}${usdValue === null ? "" : ` (${formatExactUsd(usdValue)})`}`,
    ]);
  return [
    ["Wallet", overview.walletAddress],
    ...(portfolio ? formatHoldings(portfolio) : []),
    ["Service wallet", overview.serviceWallet ?? ""],
    ...(savings ? formatHoldings(savings) : []),
    ...(savings?.investableUsd != null ? [["Can be invested now", formatExactUsd(savings.investableUsd)]] : []),
    ...(spending ? [["Not saved yet", `${spending.payments} payments of ${formatExactUsd(spending.totalUsd)}`]] : []),
    ...(prices ? [["SOL", formatExactUsd(prices.prices.SOL)]] : []),
    ...overview.unavailable.map(({ part, reason }) => [`No ${part}`, reason]),
  ] as Figure[];
}

function formatSpending({ time, amounts, usdValue, txSignature }: Spending["items"][number]): string {
  const valueText = usdValue === null ? "unknown value" : formatExactUsd(usdValue);
  return toOneLine([time ?? "unknown time", valueText, ...formatAmounts(amounts), txSignature].join("  "));
}

const formatAmounts = (amounts: Activity["items"][number]["amounts"]) =>
  amounts.map(
    ({ symbol, amount, decimals }) =>
      `${amount.startsWith("-") ? "" : "+"}${formatDecimal(amount, decimals)} ${symbol}`,
  );

function formatActivity({ time, type, status, amounts, usdValue, txSignature }: Activity["items"][number]): string {
  const valueTexts = usdValue === null ? [] : [formatExactUsd(usdValue)];
  const typeText = status === "failed" ? `${type} (failed)` : type;
  return toOneLine(
    [time ?? "unknown time", typeText, ...formatAmounts(amounts), ...valueTexts, txSignature].join("  "),
  );
}
