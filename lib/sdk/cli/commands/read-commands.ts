import { formatDecimal, formatExactUsd } from "../../../domain/money";
import type { Activity, Overview, Spending } from "../../reads";
import type { CommandPart } from "../command-part";
import { createWholeParser } from "../options";
import { formatSol, printAnswer } from "../output/format";
import { oneLine } from "../output/text";
import { EXIT, type Figure, formatTable } from "../run-payment";
import { openSession } from "../state/session";

/** Adds the read-only commands `status`, `address` and `activity`. */
export function addReads({ program, io, setAction }: CommandPart): void {
  setAction(
    program.command("address").description("show the addresses of your wallet and your service wallet"),
    async (command) => {
      const { roundup, wallet } = openSession(command.optsWithGlobals(), io);
      const serviceWallet = await roundup.serviceWallet();
      const figures: Figure[] = [
        ["Wallet", wallet],
        ["Service wallet", serviceWallet],
      ];
      printAnswer(io, program.opts().json, { wallet, serviceWallet }, formatTable(figures));
      return EXIT.done;
    },
  );
  setAction(
    program.command("status").description("show your balances, unsaved payments and prices"),
    async (command) => {
      const { roundup } = openSession(command.optsWithGlobals(), io);
      const overview = await roundup.overview();
      printAnswer(io, program.opts().json, overview, formatTable(toStatusFigures(overview)));
      return EXIT.done;
    },
  );
  const activity = program
    .command("activity")
    .description("list the transactions of your savings, newest first")
    .option("--limit <n>", "the number of items", createWholeParser(1, 50), 20)
    .option("--before <signature>", "list only items older than this transaction");
  setAction(activity, async (command) => {
    const { limit, before, ...globals } = command.optsWithGlobals();
    const page = await openSession(globals, io).roundup.activity({ limit, before });
    printAnswer(io, globals.json, page, page.items.map(formatActivity));
    return EXIT.done;
  });
}

/** Adds `spending`, which lists the payments that are not saved yet. */
export function addSpending({ program, io, setAction }: CommandPart): void {
  const spending = program
    .command("spending")
    .description("list your wallet's payments that are not saved yet, newest first")
    .option("--limit <n>", "the number of items", createWholeParser(1, 50), 20)
    .option("--before <signature>", "list only items older than this transaction")
    .option("--since <time>", "start of the list when nothing is saved yet, ISO 8601 (7 days ago)");
  setAction(spending, async (command) => {
    const { limit, before, since, ...globals } = command.optsWithGlobals();
    const page = await openSession(globals, io).roundup.spending({ limit, before, since });
    if (!page.isComplete)
      io.say("The service is still reading the wallet's history. Run the command again for the rest.");
    printAnswer(io, globals.json, page, page.items.map(formatSpending));
    return EXIT.done;
  });
}

function toStatusFigures({
  walletAddress,
  serviceWallet,
  portfolio,
  savings,
  spending,
  prices,
  unavailable,
}: Overview) {
  const formatHoldings = (of: NonNullable<Overview["portfolio"]>): Figure[] =>
    of.balances.map(({ symbol, amount, decimals, usdValue }) => [
      `  ${symbol}`,
      `${formatDecimal(amount, decimals)}${usdValue === null ? "" : ` (${formatExactUsd(usdValue)})`}`,
    ]);
  return [
    ["Wallet", walletAddress],
    ...(portfolio ? formatHoldings(portfolio) : []),
    ["Service wallet", serviceWallet ?? ""],
    ...(savings ? formatHoldings(savings) : []),
    ...(savings?.investableUsd != null ? [["Can be invested now", formatExactUsd(savings.investableUsd)]] : []),
    ...(spending ? [["Not saved yet", `${spending.payments} payments of ${formatExactUsd(spending.totalUsd)}`]] : []),
    ...(prices ? [["SOL", formatExactUsd(prices.prices.SOL)]] : []),
    ...unavailable.map(({ part, reason }) => [`No ${part}`, reason]),
  ] as Figure[];
}

function formatSpending({ time, amounts, usdValue, txSignature }: Spending["items"][number]): string {
  const worth = usdValue === null ? "unknown value" : formatExactUsd(usdValue);
  return oneLine([time ?? "unknown time", worth, ...formatMoved(amounts), txSignature].join("  "));
}

const formatMoved = (amounts: Activity["items"][number]["amounts"]) =>
  amounts.map(({ symbol, amount, decimals }) =>
    symbol === "SOL"
      ? formatSigned(amount, formatSol(toAbsolute(amount)))
      : formatSigned(amount, `${formatDecimal(toAbsolute(amount), decimals)} ${symbol}`),
  );

function formatActivity({ time, type, status, amounts, usdValue, txSignature }: Activity["items"][number]): string {
  const moved = formatMoved(amounts);
  const worth = usdValue === null ? [] : [formatExactUsd(usdValue)];
  const what = status === "failed" ? `${type} (failed)` : type;
  return oneLine([time ?? "unknown time", what, ...moved, ...worth, txSignature].join("  "));
}

const toAbsolute = (amount: string) => BigInt(amount.replace("-", ""));
const formatSigned = (amount: string, text: string) => `${amount.startsWith("-") ? "-" : "+"}${text}`;
