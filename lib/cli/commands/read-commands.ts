import { type Command, Option } from "commander";
import { formatDecimal, formatExactUsd } from "../../domain/money";
import { summarizeBatches } from "../../domain/spending/batches";
import { describeSpending, WAITING_PAYMENTS_TEXT } from "../../sdk/describe-payments";
import { describeDoubts, listPriceEntries } from "../../sdk/prices/guard";
import type { Activity, Overview, Spending } from "../../sdk/reads";
import { openServiceWallet } from "../../sdk/sign/service-wallet";
import type { CommandContext } from "../io";
import { createPathParser, createWholeNumberParser } from "../options";
import { formatTable, type OptionalRow, printAnswer, type TableRow } from "../output/text";
import { addPriceOptions } from "../price-check";
import { EXIT_CODES } from "../run-payment";
import { writeNewKeyFile } from "../state/key-file";
import { type GlobalOptions, openSession, readWallet } from "../state/session";

export function addReadCommands({ program, io, setAction }: CommandContext): void {
  const address = program
    .command("address")
    .description("show the addresses of your wallet and your savings wallet")
    .addOption(
      new Option(
        "--write-key <file>",
        "also write your savings wallet's key file, for a machine that saves by allowance without your wallet's key",
      ).argParser(createPathParser(io.home)),
    );
  setAction(address, async () => {
    const { roundup, wallet } = openSession(program.opts(), io);
    const serviceWallet = await roundup.serviceWallet();
    const { writeKey } = address.opts();
    if (writeKey !== undefined) {
      const signer = readWallet(program.opts(), io);
      writeNewKeyFile(writeKey, await openServiceWallet(await roundup.calls(), signer, serviceWallet));
    }
    const lines = formatTable([
      ["Wallet", wallet],
      ["Savings wallet", serviceWallet],
      writeKey !== undefined && ["Its key", `${writeKey}; whoever has it can take your savings and your allowance`],
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
    const summary = summarizeBatches(value.batches);
    if (summary.small.count > 0) io.say(`To save: ${describeSpending(summary)}.`);
    else if (isWaiting(value)) io.say(`${WAITING_PAYMENTS_TEXT}.`);
    return { value, lines: value.items.map(formatSpending) };
  });
  addPricesCommand({ program, io, setAction });
}

function addPricesCommand({ program, io, setAction }: CommandContext): void {
  const prices = program
    .command("prices")
    .description(
      "show the service's prices and the prices confirmed on this machine; actions stop if a price moved too far",
    );
  setAction(addPriceOptions(prices), async (command) => {
    const globals = command.optsWithGlobals<GlobalOptions>();
    const { roundup } = openSession(globals, io);
    const { priceGuard } = roundup;
    const { prices: currentPrices } = await roundup.prices();
    const confirmedPrices = await priceGuard.readConfirmed();
    if (globals.acceptPrice) await priceGuard.accept(await priceGuard.listDoubts(currentPrices));
    const doubts = await priceGuard.listDoubts(currentPrices);
    const rows = listPriceEntries(currentPrices).map(([asset, priceUsd]): TableRow => {
      const confirmedUsd = confirmedPrices[asset];
      const confirmation = confirmedUsd === undefined ? "" : `, confirmed before: ${formatExactUsd(confirmedUsd)}`;
      return [asset, `${formatExactUsd(priceUsd)}${confirmation}`];
    });
    const value = { prices: currentPrices, confirmed: confirmedPrices, doubts };
    printAnswer(io, globals.json, { value, lines: formatTable(rows) });
    for (const doubt of doubts) io.say(describeDoubts([doubt]));
    return doubts.length === 0 ? EXIT_CODES.done : EXIT_CODES.refused;
  });
}

const addPageOptions = (command: Command) =>
  command
    .option("--limit <n>", "the number of items", createWholeNumberParser(1, 50), 20)
    .option("--before <signature>", "list only items older than this transaction");

/** Returns whether all unsaved payments are small ones that wait. */
const isWaiting = ({ isComplete, batches, items }: Pick<Spending, "isComplete" | "batches" | "items">): boolean =>
  isComplete && batches.length === 0 && items.length > 0;

function toStatusRows({ portfolio, savings, spending, prices, ...overview }: Overview): OptionalRow[] {
  return [
    ["Wallet", overview.walletAddress],
    ...formatHoldings(portfolio),
    ["Savings wallet", overview.serviceWallet ?? ""],
    ...formatHoldings(savings),
    savings?.investableUsd != null && ["Can be invested now", formatExactUsd(savings.investableUsd)],
    spending && ["Not saved yet", isWaiting(spending) ? WAITING_PAYMENTS_TEXT : describeSpending(spending)],
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
