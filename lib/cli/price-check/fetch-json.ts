import type { AssetSymbol } from "../../domain/assets";
import type { ReferencePrice } from "../../domain/prices/price-check";
import type { Fetch } from "../../sdk/platform";

const TIMEOUT_MS = 10_000;
const MAX_BODY_CHARACTERS = 262_144;

/**
 * Fetches JSON from a price source. It follows no redirect, because the API key must not reach another host.
 * @throws {Error} on an HTTP error, a timeout, invalid JSON, or a body over 262,144 characters
 */
export async function fetchJson(url: string, init: RequestInit, fetch: Fetch): Promise<unknown> {
  const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`The price source answers ${response.status}.`);
  const text = await response.text();
  if (text.length > MAX_BODY_CHARACTERS) throw new Error("The price source answers too much.");
  return JSON.parse(text);
}

/** Returns the prices that a source has. @param readPrice returns null for an asset without a valid price */
export const collectPrices = (
  assets: readonly AssetSymbol[],
  readPrice: (asset: AssetSymbol, index: number) => ReferencePrice | null,
): Partial<Record<AssetSymbol, ReferencePrice>> =>
  Object.fromEntries(assets.map((asset, i) => [asset, readPrice(asset, i)]).filter(([, price]) => price !== null));
