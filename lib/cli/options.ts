import { type Command, InvalidArgumentError, Option } from "commander";
import { type Allocation, listAllocationFaults } from "../domain/allocations";
import {
  ASSET_SYMBOLS,
  type AssetSymbol,
  KNOWN_TOKEN_SYMBOLS,
  type KnownToken,
  PAY_ASSETS,
  type PayAsset,
} from "../domain/assets";
import { expandHome } from "../domain/home-path";
import { DEFAULT_PLAN, DEFAULT_SLIPPAGE_BPS, DEFAULT_THRESHOLD_USD, PLAN_NAMES } from "../domain/plans";
import type { PayTerms, SavingTerms } from "../sdk/requests";
import { UsageError } from "./usage-error";

/* This file has the parsers and option groups that several commands share. The parsers throw InvalidArgumentError. */

/** Parses US dollars: plain digits, with or without the dollar sign. */
export function parseDollars(text: string): number {
  if (!/^\$?\d{1,7}(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError("Give an amount in dollars, e.g. 4.02.");
  return Number(text.replace("$", ""));
}

export function parsePositiveDollars(text: string): number {
  const usd = parseDollars(text);
  if (usd === 0) throw new InvalidArgumentError("It must be more than 0.");
  return usd;
}

export function parseSol(text: string): number {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text)) throw new InvalidArgumentError("Give an amount of SOL, e.g. 0.05.");
  return Number(text);
}

/**
 * Creates an option that a `ROUNDUP_…` variable or a profile can also set.
 * @param flags the long name, and a placeholder for the value
 */
export function createStorableOption(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.env(`ROUNDUP_${option.name().toUpperCase().replaceAll("-", "_")}`);
}

/** Creates a storable option for US dollars above zero. Without `defaultUsd`, the option is unset by default. */
export const createDollarOption = (flags: string, description: string, defaultUsd?: number) =>
  createStorableOption(flags, description).argParser(parsePositiveDollars).default(defaultUsd);

export const addKeepSolOption = (command: Command) =>
  command.addOption(
    createStorableOption("--keep-sol <sol>", "the least that a saving in SOL leaves in your wallet")
      .argParser(parseSol)
      .default(0.05),
  );

export const createWholeNumberParser = (min: number, max: number) => (text: string) => {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < min || value > max)
    throw new InvalidArgumentError(`Give a number from ${min} to ${max}.`);
  return value;
};

/** Creates a parser of paths that replaces a leading `~` by the home folder. */
export const createPathParser = (home: string) => (text: string) => {
  try {
    return expandHome(text, home);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`);
  }
};

/** Parses allocations, e.g. `BTC:60,ETH:40`. A single asset needs no percent. */
function parseAllocations(text: string): Allocation[] {
  const allocations = text.split(",").map((part) => {
    const [name = "", pct = "100"] = part.split(":");
    if (!/^\d{1,3}(\.\d{1,2})?$/.test(pct)) throw new InvalidArgumentError("Give percents, e.g. BTC:60,ETH:40.");
    return { asset: parseAsset(name.trim()), pct: Number(pct) };
  });
  const faults = listAllocationFaults(allocations);
  if (faults.includes("wrong_sum")) throw new InvalidArgumentError("The percents must sum to 100.");
  if (faults.includes("repeated_asset")) throw new InvalidArgumentError("Name each asset once.");
  return allocations;
}

/** Accepts any letter case, as `parseKnownToken` does. */
export const parseAsset = (name: string): AssetSymbol => parseSymbol(ASSET_SYMBOLS, name);

export const parseKnownToken = (name: string): KnownToken => parseSymbol(KNOWN_TOKEN_SYMBOLS, name);

function parseSymbol<Symbol extends string>(symbols: readonly Symbol[], name: string): Symbol {
  const symbol = symbols.find((candidate) => candidate === name.toUpperCase());
  if (!symbol) throw new InvalidArgumentError(`${name} is not one of ${symbols.join(", ")}.`);
  return symbol;
}

export const addTermsOptions = (command: Command) =>
  command
    .addOption(
      createStorableOption("--plan <name>", "sets the step to round up to, and the fee")
        .choices(PLAN_NAMES)
        .default(DEFAULT_PLAN),
    )
    .option("--round-to-usd <usd>", "your own step instead of the plan's", parsePositiveDollars)
    .option("--ceiling-usd <usd>", "the most to save of one payment (1 × the multiplier)", parsePositiveDollars)
    .option("--multiplier <n>", "multiply the change by this number, 1 to 10", createWholeNumberParser(1, 10));

export const addSlippageOption = (command: Command) =>
  command.option(
    "--slippage-bps <n>",
    "the most that the price may move against you, in 1/100 %",
    createWholeNumberParser(1, 1_000),
    DEFAULT_SLIPPAGE_BPS,
  );

export const addPurchaseOptions = (command: Command) =>
  addSlippageOption(
    command
      .addOption(
        createStorableOption(
          "--allocations <list>",
          "the assets to buy, with percents that sum to 100, e.g. BTC:60,ETH:40",
        )
          .argParser(parseAllocations)
          .default([{ asset: "BTC", pct: 100 }], "BTC:100"),
      )
      .option("--threshold-usd <usd>", "the least balance to invest", parsePositiveDollars, DEFAULT_THRESHOLD_USD),
  );

/** Creates the option that names the asset to spend. @param defaultText what happens without it */
export const createPayWithOption = (defaultText: string) =>
  createStorableOption("--pay-with <asset>", `what to spend, SOL or USDC (${defaultText})`).argParser((name) =>
    parseSymbol(PAY_ASSETS, name),
  );

export const addPayOptions = (command: Command) =>
  command
    .addOption(createPayWithOption("SOL"))
    .option("--allowance", "save in USDC by your allowance: your savings wallet signs, and pays the network fee");

/**
 * Converts the options of a saving.
 * @throws {UsageError} on an allowance in SOL, and when the user's own wallet would have to sign without its key
 */
export function pickPayTerms(options: { payWith?: PayAsset; allowance?: boolean; wallet?: string }): PayTerms {
  const { payWith, allowance, wallet } = options;
  if (allowance && payWith === "SOL") throw new UsageError("--allowance takes USDC. Leave out --pay-with SOL.");
  if (wallet !== undefined && !allowance) throw new UsageError("With --wallet, savings need --allowance.");
  return allowance ? { payWith: "USDC", by: "allowance" } : { payWith };
}

export type TermsOptions = Omit<SavingTerms, "ceiling">;

export const pickTerms = ({ plan, roundToUsd, ceilingUsd, multiplier }: TermsOptions): TermsOptions => ({
  plan,
  roundToUsd,
  ceilingUsd,
  multiplier,
});
