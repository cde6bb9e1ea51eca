import type { AssetSymbol } from "../../domain/assets";
import type { ReferencePrice } from "../../domain/prices/price-check";
import { MAX_PYTH_EXPONENT, PYTH_FEEDS, toReferencePrice } from "../../domain/prices/pyth-feeds";
import type { Fetch } from "../../sdk/platform";
import type { PriceSource } from "../../sdk/prices/guard";
import { fromBase64 } from "../../solana/bytes";
import { COMMITMENT } from "../../solana/commitment";
import { PYTH_RECEIVER_PROGRAM, readPythPrice } from "../../solana/pyth-price";
import { collectPrices, fetchJson } from "./fetch-json";

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

/** Creates a price source that reads Pyth's accounts from the chain, through the user's own node. */
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
