import type { Command } from "commander";
import { formatDecimal, formatExactUsd } from "../../domain/money";
import type { Activity, Overview, Spending } from "../../sdk/reads";
import type { CommandContext } from "../io";
import { createWholeNumberParser } from "../options";
import { formatTable, type OptionalRow, type TableRow } from "../output/text";
import { openSession } from "../state/session";

/** Adds the read-only commands `address`, `status`, `activity` and `spending`. */
export function addReadCommands({ program, io, setAction }: CommandContext): void {
  const address = program.command("address").description("show the addresses of your wallet and your service wallet");
  setAction(address, async () => {
    const { roundup, wallet } = openSession(program.opts(), io);
    const serviceWallet = await roundup.serviceWallet();
    const lines = formatTable([
      ["Wallet", wallet],
      ["Service wallet", serviceWallet],
    ]);
    return { value: { wallet, serviceWallet }, lines };
  });
  const status = program.command("status").description("show your balances, unsaved payments and prices");
  setAction(status, async () => {
    const value = await openSession(program.opts(), io).roundup.overview();
    return { value, lines: formatTable(toStatusRows(value)) };
  });
  const activity = program.command("activity").description("list the transactions of your savings, newest first");
  setAction(addPageOptions(activity), async (command) => {
    const { limit, before, ...globals } = command.optsWithGlobals();
    const value = await openSession(globals, io).roundup.activity({ limit, before });
    return { value, lines: value.items.map(formatActivity) };
  });
  const spending = program
    .command("spending")
    .description("list your wallet's payments that are not saved yet, newest first");
  addPageOptions(spending).option(
    "--since <time>",
    "start of the list when nothing is saved yet, ISO 8601 (7 days ago)",
  );
  setAction(spending, async (command) => {
    const { limit, before, since, ...globals } = command.optsWithGlobals();
    const value = await openSession(globals, io).roundup.spending({ limit, before, since });
    if (!value.isComplete)
      io.say("The service is still reading the wallet's history. Run the command again for the rest.");
    return { value, lines: value.items.map(formatSpending) };
  });
}

const addPageOptions = (command: Command) =>
  command
    .option("--limit <n>", "the number of items", createWholeNumberParser(1, 50), 20)
    .option("--before <signature>", "list only items older than this transaction");

function toStatusRows({ portfolio, savings, spending, prices, ...overview }: Overview): OptionalRow[] {
  return [
    ["Wallet", overview.walletAddress],
    ...formatHoldings(portfolio),
    ["Service wallet", overview.serviceWallet ?? ""],
    ...formatHoldings(savings),
    savings?.investableUsd != null && ["Can be invested now", formatExactUsd(savings.investableUsd)],
    spending && ["Not saved yet", `${spending.payments} payments of ${formatExactUsd(spending.totalUsd)}`],
    prices && ["SOL", formatExactUsd(prices.prices.SOL)],
    ...overview.unavailable.map(({ part, reason }): TableRow => [`No ${part}`, reason]),
  ];
}

const formatHoldings = (holdings: Overview["portfolio"] | Overview["savings"]) =>
  (holdings?.balances ?? []).map(
    ({ symbol, amount, decimals, usdValue }): TableRow => [
      `  ${symbol}`,
      `${formatDecimal(amount, decimals)}${usdValue === null ? "" : ` (${formatExactUsd(usdValue)})`}`,
    ],
  );

function formatSpending({ time, amounts, usdValue, txSignature }: Spending["items"][number]): string {
  const valueText = usdValue === null ? "unknown value" : formatExactUsd(usdValue);
  return [time ?? "unknown time", valueText, ...formatAmounts(amounts), txSignature].join("  ");
}

const formatAmounts = (amounts: Activity["items"][number]["amounts"]) =>
  amounts.map(
    ({ symbol, amount, decimals }) =>
      `${amount.startsWith("-") ? "" : "+"}${formatDecimal(amount, decimals)} ${symbol}`,
  );

function formatActivity({ time, type, status, amounts, usdValue, txSignature }: Activity["items"][number]): string {
  const valueTexts = usdValue === null ? [] : [formatExactUsd(usdValue)];
  const typeText = status === "failed" ? `${type} (failed)` : type;
  return [time ?? "unknown time", typeText, ...formatAmounts(amounts), ...valueTexts, txSignature].join("  ");
}
