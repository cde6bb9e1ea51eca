import { type Command, InvalidArgumentError, Option } from "commander";
import { findAsset } from "../amounts";
import type { Allocation, SavingTerms } from "../requests";

/** Parsers and option groups that several commands share. */

function createArgumentParser<T>(parse: (text: string) => T) {
  return (text: string): T => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

/** Parses US dollars: plain digits, with or without the dollar sign. */
export const parseDollars = createArgumentParser((text: string) => {
  if (!/^\$?\d{1,7}(\.\d{1,6})?$/.test(text)) throw new RangeError("Give an amount in dollars, e.g. 4.02.");
  return Number(text.replace("$", ""));
});

/** Parses US dollars above zero. */
export const parsePositiveDollars = (text: string) => {
  const usd = parseDollars(text);
  if (usd === 0) throw new InvalidArgumentError("It must be more than 0.");
  return usd;
};

/** Parses an amount of SOL. */
export function parseSol(text: string): number {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text)) throw new InvalidArgumentError("Give an amount of SOL, e.g. 0.05.");
  return Number(text);
}

/** Adds the option for the balance that the wallet keeps. */
export const withKeepSol = (command: Command) =>
  command.addOption(
    new Option("--keep-sol <sol>", "the least that stays in your wallet")
      .argParser(parseSol)
      .default(0.05)
      .env("ROUNDUP_KEEP_SOL"),
  );

export const parseWhole = (min: number, max: number) =>
  createArgumentParser((text: string) => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < min || value > max)
      throw new RangeError(`Give a number from ${min} to ${max}.`);
    return value;
  });

/** Parses allocations: `BTC:60,ETH:40`, or a single asset. */
const parseAllocations = createArgumentParser((text: string): Allocation[] => {
  const shares = text.split(",").map((part) => {
    const [name = "", pct = "100"] = part.split(":");
    if (!/^\d{1,3}(\.\d{1,2})?$/.test(pct)) throw new RangeError("Give percents, e.g. BTC:60,ETH:40.");
    return { asset: findAsset(name.trim()), pct: Number(pct) };
  });
  const sum = shares.reduce((total, { pct }) => total + Math.round(pct * 100), 0);
  if (sum !== 10_000) throw new RangeError("The percents must sum to 100.");
  if (new Set(shares.map(({ asset }) => asset)).size < shares.length) throw new RangeError("Name each asset once.");
  return shares;
});

export const parseAsset = createArgumentParser(findAsset);

/** Adds the options of commands that save change. */
export const withTerms = (command: Command) =>
  command
    .addOption(
      new Option("--plan <name>", "sets the step to round up to, and the fee")
        .choices(["seed", "sprout", "tree", "forest"])
        .default("sprout")
        .env("ROUNDUP_PLAN"),
    )
    .addOption(
      new Option("--round-to-usd <usd>", "your own step instead of the plan's").argParser(parsePositiveDollars),
    )
    .addOption(
      new Option("--ceiling-usd <usd>", "the most to save of one purchase (1 × the multiplier)").argParser(
        parsePositiveDollars,
      ),
    )
    .addOption(
      new Option("--multiplier <n>", "multiply the change by this number, 1 to 10").argParser(parseWhole(1, 10)),
    );

/** Adds the options of commands that buy assets. */
export const withPurchase = (command: Command) =>
  command
    .addOption(
      new Option("--allocations <list>", "the assets to buy, with percents that sum to 100, e.g. BTC:60,ETH:40")
        .argParser(parseAllocations)
        .default([{ asset: "BTC", pct: 100 }], "BTC:100")
        .env("ROUNDUP_ALLOCATIONS"),
    )
    .addOption(
      new Option("--threshold-usd <usd>", "the least balance to invest").argParser(parsePositiveDollars).default(5),
    )
    .addOption(createSlippageOption());

export const createSlippageOption = () =>
  new Option("--slippage-bps <n>", "the most that the price may move against you, in 1/100 %")
    .argParser(parseWhole(1, 1_000))
    .default(100);

export type Terms = Omit<SavingTerms, "ceiling">;

/** Returns the round-up terms from the parsed options. */
export const readTerms = ({ plan, roundToUsd, ceilingUsd, multiplier }: Terms): Terms => ({
  plan,
  ...(roundToUsd !== undefined && { roundToUsd }),
  ...(ceilingUsd !== undefined && { ceilingUsd }),
  ...(multiplier !== undefined && { multiplier }),
});
