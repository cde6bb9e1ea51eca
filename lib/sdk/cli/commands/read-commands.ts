import { Option } from "commander";
import { decimalText, usdExactText } from "../../../domain/money";
import type { Activity, Overview } from "../../reads";
import type { CommandPart } from "../command-part";
import { whole } from "../options";
import { sol, toJson } from "../output/format";
import { oneLine } from "../output/text";
import { EXIT, type Figure, table } from "../run-payment";
import { openSession } from "../state/session";

/** Adds the read-only commands: `status` and `activity`. */
export function addReads({ program, io, setAction }: CommandPart): void {
  const answer = (json: boolean | undefined, value: object, lines: string[]) => {
    for (const line of json ? [toJson(value)] : lines) io.print(line);
    return EXIT.done;
  };
  setAction(
    program.command("status").description("what you hold, what is not saved yet, and the prices"),
    async (command) => {
      const { roundup } = openSession(command.optsWithGlobals(), io);
      const overview = await roundup.overview();
      return answer(program.opts().json, overview, table(statusFigures(overview)));
    },
  );
  const activity = program
    .command("activity")
    .description("what happened to your savings, newest first")
    .addOption(new Option("--limit <n>", "how many").argParser(whole(1, 50)).default(20))
    .option("--before <signature>", "older than this one");
  setAction(activity, async (command) => {
    const { limit, before, ...globals } = command.optsWithGlobals();
    const page = await openSession(globals, io).roundup.activity({ limit, before });
    return answer(globals.json, page, page.items.map(activityLine));
  });
}

function statusFigures({ walletAddress, serviceWallet, portfolio, savings, spending, prices, unavailable }: Overview) {
  const holds = (of: NonNullable<Overview["portfolio"]>): Figure[] =>
    of.balances.map(({ symbol, amount, decimals, usdValue }) => [
      `  ${symbol}`,
      `${decimalText(amount, decimals)}${usdValue === null ? "" : ` (${usdExactText(usdValue)})`}`,
    ]);
  return [
    ["Wallet", walletAddress],
    ...(portfolio ? holds(portfolio) : []),
    ["Service wallet", serviceWallet ?? ""],
    ...(savings ? holds(savings) : []),
    ...(savings?.investableUsd != null ? [["Can be invested now", usdExactText(savings.investableUsd)]] : []),
    ...(spending ? [["Not saved yet", `${spending.payments} payments of ${usdExactText(spending.totalUsd)}`]] : []),
    ...(prices ? [["SOL", usdExactText(prices.prices.SOL)]] : []),
    ...unavailable.map(({ part, reason }) => [`No ${part}`, reason]),
  ] as Figure[];
}

function activityLine({ time, type, status, amounts, usdValue, txSignature }: Activity["items"][number]): string {
  const moved = amounts.map(({ symbol, amount, decimals }) =>
    symbol === "SOL"
      ? signed(amount, sol(abs(amount)))
      : signed(amount, `${decimalText(abs(amount), decimals)} ${symbol}`),
  );
  const worth = usdValue === null ? [] : [usdExactText(usdValue)];
  const what = status === "failed" ? `${type} (failed)` : type;
  return oneLine([time ?? "unknown time", what, ...moved, ...worth, txSignature].join("  "));
}

const abs = (amount: string) => BigInt(amount.replace("-", ""));
const signed = (amount: string, text: string) => `${amount.startsWith("-") ? "-" : "+"}${text}`;
