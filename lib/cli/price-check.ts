import type { Command } from "commander";
import { z } from "zod";
import type { AssetSymbol } from "../domain/assets";
import { REFERENCE_MAX_AGE_MS, type ReferencePrice } from "../domain/prices/price-check";
import { MAX_PYTH_EXPONENT, PYTH_FEEDS, toReferencePrice } from "../domain/prices/pyth-feeds";
import type { Fetch } from "../sdk/platform";
import { type AcceptPrices, describeDoubts, type PriceSource } from "../sdk/prices/guard";
import { fromBase64 } from "../solana/bytes";
import { COMMITMENT } from "../solana/commitment";
import { PYTH_RECEIVER_PROGRAM, readPythPrice } from "../solana/pyth-price";
import type { Io } from "./io";
import { createStorableOption } from "./options";
import { UsageError } from "./usage-error";

export interface PriceOptions {
  priceCheck?: "hermes" | "rpc";
  rpc?: string;
  acceptPrice?: boolean;
}

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

const HERMES_URL = "https://pyth.dourolabs.app/hermes";

const Digits = z.string().regex(/^\d{1,20}$/);
const PriceEntry = z.object({
  id: z.string(),
  price: z
    .object({
      price: Digits,
      conf: Digits,
      expo: z.int().min(-MAX_PYTH_EXPONENT).max(MAX_PYTH_EXPONENT),
      publish_time: z.int().positive(),
    })
    .transform(({ price, conf, expo, publish_time }) =>
      toReferencePrice({ price, confidence: conf, exponent: expo, publishTime: publish_time }),
    ),
});
const HermesAnswer = z.object({ parsed: z.array(PriceEntry).max(64) });

/** Reads Pyth's Hermes API with the user's own key. */
export function createHermesSource(apiKey: string, fetch: Fetch): PriceSource {
  return {
    maxAgeMs: REFERENCE_MAX_AGE_MS,
    async readPrices(assets) {
      const ids = assets.map((asset) => `ids[]=${PYTH_FEEDS[asset]}`).join("&");
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = await fetchJson(`${HERMES_URL}/v2/updates/price/latest?${ids}`, { method: "GET", headers }, fetch);
      const { parsed } = HermesAnswer.parse(answer);
      return collectPrices(assets, (asset) => {
        const entry = parsed.find(({ id }) => id.replace(/^0x/, "") === PYTH_FEEDS[asset]);
        return entry?.price ?? null;
      });
    },
  };
}

/** Accounts of Pyth's push oracle, shard 0. Each address is derived from the program, the shard and the feed id. */
export const PYTH_ACCOUNTS: Record<AssetSymbol, string> = {
  BTC: "4cSM2e6rvbGQUFiJbqytoVMi5GgghSMr8LwVrT9VPSPo",
  ETH: "42amVS4KgzR9rA28tkVYqVXjq9Qa8dcZQMbH5EYFX6XC",
  SOL: "7UVimffxr9ow1uXYxsr4LHAcV58mLzhmwaeKvJ1pjLiE",
  USDC: "Dpw1EAVrSB1ibxiDQyTAW6Zip3J4Btk2x4SgApQCeFbX",
  USDT: "HT2PLQBcG5EiCcNSaMHAjSgd9F98ecpATbk4Sk5oYuM",
};

/**
 * Maximum age of a price. Pyth updates an account each minute, or when the price moves by 0.5 %; source: Pyth's
 * sponsored feeds. The limit allows two late updates.
 */
const MAX_AGE_MS = 180_000;

/** Reads Pyth's accounts from the chain, through the user's own node. */
export function createPythAccountSource(rpcUrl: string, fetch: Fetch): PriceSource {
  return {
    maxAgeMs: MAX_AGE_MS,
    async readPrices(assets) {
      const params = [assets.map((asset) => PYTH_ACCOUNTS[asset]), { encoding: "base64", commitment: COMMITMENT }];
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getMultipleAccounts", params });
      const headers = { "content-type": "application/json" };
      const answer = await fetchJson(rpcUrl, { method: "POST", headers, body }, fetch);
      const accounts = Object(Object(Object(answer).result).value);
      return collectPrices(assets, (asset, i) => readPrice(accounts[i], PYTH_FEEDS[asset]));
    },
  };
}

/**
 * Parses a price account; null for any other account, another feed or an impossible price. The owner check makes a price
 * trustworthy: only Pyth's receiver program writes to its accounts, after it has verified the guardians' signatures.
 */
function readPrice(account: unknown, feedId: string): ReferencePrice | null {
  const { owner, data } = Object(account);
  if (owner !== PYTH_RECEIVER_PROGRAM || !Array.isArray(data) || typeof data[0] !== "string") return null;
  const bytes = fromBase64(data[0]);
  const pythPrice = bytes && readPythPrice(bytes);
  if (pythPrice?.feedId !== feedId) return null;
  const { price, confidence, exponent, publishTime } = pythPrice;
  if (price <= 0n || Math.abs(exponent) > MAX_PYTH_EXPONENT) return null;
  return toReferencePrice({
    price: `${price}`,
    confidence: `${confidence}`,
    exponent,
    publishTime: Number(publishTime),
  });
}

const TIMEOUT_MS = 10_000;
const MAX_BODY_CHARACTERS = 262_144;

/**
 * Fetches JSON from a price source. It follows no redirect, because the API key must not reach another host.
 * @throws {Error} on an HTTP error, a timeout, invalid JSON, or a body over 262,144 characters
 */
async function fetchJson(url: string, init: RequestInit, fetch: Fetch): Promise<unknown> {
  const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`The price source answers ${response.status}.`);
  const text = await response.text();
  if (text.length > MAX_BODY_CHARACTERS) throw new Error("The price source answers too much.");
  return JSON.parse(text);
}

/** Returns the prices that a source has. @param readPrice returns null for an asset without a valid price */
const collectPrices = (
  assets: readonly AssetSymbol[],
  readPrice: (asset: AssetSymbol, index: number) => ReferencePrice | null,
): Partial<Record<AssetSymbol, ReferencePrice>> =>
  Object.fromEntries(assets.map((asset, i) => [asset, readPrice(asset, i)]).filter(([, price]) => price !== null));
