import { type Command, InvalidArgumentError, Option } from "commander";
import { assetOf } from "../amounts";
import type { Leg } from "../flow/invest";

/** Parsers and option groups that several commands share. */

function read<T>(parse: (text: string) => T) {
  return (text: string): T => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

/** Parses US dollars: plain digits, with or without the dollar sign. */
export const dollars = read((text: string) => {
  if (!/^\$?\d{1,7}(\.\d{1,6})?$/.test(text)) throw new RangeError("It is an amount in dollars, e.g. 4.02.");
  return Number(text.replace("$", ""));
});

export const whole = (min: number, max: number) =>
  read((text: string) => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < min || value > max) throw new RangeError(`It is a number, ${min}…${max}.`);
    return value;
  });

/** Parses an allocation: `BTC:60,ETH:40`, or a single asset. */
const allocation = read((text: string): Leg[] => {
  const legs = text.split(",").map((part) => {
    const [name = "", pct = "100"] = part.split(":");
    if (!/^\d{1,3}(\.\d{1,2})?$/.test(pct)) throw new RangeError("It is one like BTC:60,ETH:40.");
    return { asset: assetOf(name.trim()), pct: Number(pct) };
  });
  const sum = legs.reduce((total, { pct }) => total + Math.round(pct * 100), 0);
  if (sum !== 10_000) throw new RangeError("Its percents sum to 100.");
  if (new Set(legs.map(({ asset }) => asset)).size < legs.length) throw new RangeError("It names each asset once.");
  return legs;
});

export const asset = read(assetOf);

/** Adds the options of commands that save change. */
export const withTerms = (command: Command) =>
  command
    .addOption(
      new Option("--plan <name>", "the step and its fee")
        .choices(["seed", "sprout", "tree", "forest"])
        .default("sprout")
        .env("ROUNDUP_PLAN"),
    )
    .addOption(new Option("--round-to <usd>", "a step of your own, in place of the plan's").argParser(dollars))
    .addOption(new Option("--ceiling <usd>", "at most so much of one payment (1 × the multiplier)").argParser(dollars))
    .addOption(new Option("--multiplier <n>", "so many times the change").argParser(whole(1, 10)));

/** Adds the options of commands that buy assets. */
export const withPurchase = (command: Command) =>
  command
    .addOption(
      new Option("--allocation <list>", "what is bought")
        .argParser(allocation)
        .default([{ asset: "BTC", pct: 100 }], "BTC:100")
        .env("ROUNDUP_ALLOCATION"),
    )
    .addOption(new Option("--threshold <usd>", "from which amount on").argParser(dollars).default(5))
    .addOption(slippage());

export const slippage = () =>
  new Option("--slippage-bps <n>", "how far the price may move, in 1/100 %").argParser(whole(1, 1_000)).default(100);

export interface Terms {
  plan?: "seed" | "sprout" | "tree" | "forest";
  roundTo?: number;
  ceiling?: number;
  multiplier?: number;
}

/** Returns the round-up terms from the parsed options, in the API's form. */
export const termsOf = ({ plan, roundTo, ceiling, multiplier }: Terms) => ({
  plan,
  ...(roundTo !== undefined && { roundToUsd: roundTo }),
  ...(ceiling !== undefined && { ceiling }),
  ...(multiplier !== undefined && { multiplier }),
});
