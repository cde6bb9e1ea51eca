import type { SavedInto } from "../../domain/built-saving";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Deps } from "../../ports/deps";
import type { Caller } from "../../ports/request-context";
import { toCallerFeed } from "./feeds";

/*
 * Records the texts of references, and what each caller has built under them. A wallet can sign another saving with the
 * same reference. So a saving counts as built by a caller only if it moves at least what that caller has built. Any build
 * of one amount may land at its own price of SOL, so the record keeps the least amounts. A build of another amount, fee
 * rate, service wallet or currency replaces the record: an order has one price at a time.
 */

export interface WalletReference {
  wallet: string;
  reference: string;
}

export interface ReferenceBuild extends SavedInto {
  microUsd: bigint;
  feeBps: bigint;
}

const AMOUNTS = ["savedLamports", "feeLamports", "savedUsdc", "feeUsdc"] as const;

/** The service wallet, `microUsd`, `feeBps` and AMOUNTS. They are decimal texts, because JSON has no bigint. */
type StoredBuild = [serviceWallet: string, microUsd: string, feeBps: string, ...amounts: string[]];

const toBuildKey = (caller: Caller, { wallet, reference }: WalletReference) =>
  STORE_KEYS.referenceBuild.toKey(toCallerFeed(caller), wallet, reference);

export async function recordReferenceBuild(
  { kv }: Deps,
  caller: Caller,
  order: WalletReference,
  build: ReferenceBuild,
): Promise<void> {
  const key = toBuildKey(caller, order);
  for (let isWritten = false; !isWritten; ) {
    const stored = await kv.get<StoredBuild>(key);
    isWritten = await kv.replace(key, stored, mergeBuild(stored, build), STORE_KEYS.referenceBuild.ttlMs);
  }
}

function mergeBuild(stored: StoredBuild | null, build: ReferenceBuild): StoredBuild {
  const { serviceWallet, microUsd, feeBps } = build;
  const terms = [serviceWallet, `${microUsd}`, `${feeBps}`] as const;
  const amounts = AMOUNTS.map((name) => build[name]);
  const isSameOrder =
    stored !== null &&
    terms.every((term, i) => term === stored[i]) &&
    // A saving in SOL moves no USDC, and the other way round.
    amounts.every((amount, i) => (amount === 0n) === (stored[i + 3] === "0"));
  const leastAmounts = isSameOrder ? amounts.map((amount, i) => min(amount, BigInt(stored[i + 3]!))) : amounts;
  return [...terms, ...leastAmounts.map(String)];
}

const min = (left: bigint, right: bigint) => (left < right ? left : right);

/** Reads what a caller has built under each reference. Null if that was nothing in the last 30 days. */
export async function readReferenceBuilds(
  { kv }: Deps,
  caller: Caller,
  orders: readonly WalletReference[],
): Promise<(SavedInto | null)[]> {
  if (orders.length === 0) return [];
  const storedBuilds = await kv.getMany<StoredBuild>(orders.map((order) => toBuildKey(caller, order)));
  return storedBuilds.map((stored) => {
    if (!stored) return null;
    const [serviceWallet, , , ...amounts] = stored;
    const entries = AMOUNTS.map((name, i) => [name, BigInt(amounts[i]!)]);
    return { serviceWallet, ...(Object.fromEntries(entries) as Omit<SavedInto, "serviceWallet">) };
  });
}

export async function recordReferenceText({ kv }: Deps, wallet: string, hash: string, text: string): Promise<void> {
  await kv.set(STORE_KEYS.referenceText.toKey(wallet, hash), text, STORE_KEYS.referenceText.ttlMs);
}

/** Reads the text of a reference, or null if no saving was built for it here in the last 30 days. */
export const readReferenceText = ({ kv }: Deps, wallet: string, hash: string) =>
  kv.get<string>(STORE_KEYS.referenceText.toKey(wallet, hash));
