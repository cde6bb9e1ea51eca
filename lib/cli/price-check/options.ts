import type { Command } from "commander";
import { type AcceptPrices, describeDoubts, type PriceSource } from "../../sdk/prices/guard";
import type { Io } from "../io";
import { createStorableOption } from "../options";
import { UsageError } from "../usage-error";
import { createHermesSource, createPythAccountSource } from "./sources";

/** Options that decide how a price that moved too far is confirmed. */
export interface PriceOptions {
  priceCheck?: "hermes" | "rpc";
  rpc?: string;
  acceptPrice?: boolean;
}

/** Adds the options of commands that depend on prices. */
export const addPriceCheckOptions = (command: Command) =>
  command
    .addOption(
      createStorableOption(
        "--price-check <source>",
        "confirm a price that moved too far with Pyth: over hermes, or over your node (--rpc)",
      ).choices(["hermes", "rpc"]),
    )
    .addOption(createStorableOption("--rpc <url>", "your own Solana node, for --price-check rpc"));

/** Adds the price options of interactive commands. `--yes` does not accept a price. */
export const addPriceOptions = (command: Command) =>
  addPriceCheckOptions(command).option("--accept-price", "accept the service's price even if it moved too far");

/** Creates the chosen price source; undefined for none. @throws {UsageError} when its API key or its node is missing */
export function createPriceSource({ priceCheck, rpc }: PriceOptions, { env, fetch }: Io): PriceSource | undefined {
  if (priceCheck === undefined) return undefined;
  const { ROUNDUP_HERMES_KEY: apiKey } = env;
  if (priceCheck === "hermes" && !apiKey)
    throw new UsageError("--price-check hermes needs the key in ROUNDUP_HERMES_KEY.");
  if (priceCheck === "rpc" && !(rpc && URL.canParse(rpc))) throw new UsageError("--price-check rpc needs --rpc.");
  return priceCheck === "hermes" ? createHermesSource(apiKey!, fetch) : createPythAccountSource(rpc!, fetch);
}

/**
 * Creates a callback that shows the doubts and asks the user to accept the prices. `--accept-price` accepts them
 * without a question. Without a terminal, the callback declines.
 */
export function createPriceAcceptance({ acceptPrice }: PriceOptions, { say, ask }: Io): AcceptPrices {
  return async (doubts) => {
    for (const doubt of doubts) say(describeDoubts([doubt]));
    if (acceptPrice) return true;
    return ask !== null && /^y(es)?$/i.test((await ask("Is that price right? [y/N] ")).trim());
  };
}
