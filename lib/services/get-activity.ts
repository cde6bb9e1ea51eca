import type { DataOf, InputOf } from "../contracts/define";
import type { getActivityContract } from "../contracts/get-activity";
import { type Activity, decodeActivity, isUntouched, type Valued, valuedParts } from "../domain/activity";
import { assetOfMint, tokenSymbol } from "../domain/assets";
import { fromMicroUsd, toCoins, valueMicroUsd } from "../domain/money";
import type { Deps, HistoryEntry, Prices } from "../ports";
import { NATIVE_MINT } from "../solana/programs";
import { inParallel } from "./steps/in-parallel";
import { pricesWhenRelayed } from "./steps/relay-records";

type History = DataOf<typeof getActivityContract>;
type Item = History["items"][number];
type Change = Item["amounts"][number];

const DEFAULT_LIMIT = 20;
/** Transactions of one page that are read at a time. */
const PARALLEL_READS = 6;

/** Signature pages that one answer reads at most: transactions that only name the wallet are passed over. */
const MAX_PAGES = 3;

export async function getActivity(deps: Deps, input: InputOf<typeof getActivityContract>): Promise<History> {
  const { address, limit = DEFAULT_LIMIT } = input;
  const items: Item[] = [];
  let cursor = input.before;
  let isMore = true;
  for (let page = 0; page < MAX_PAGES && isMore && items.length < limit; page++) {
    // One more than is shown says whether there is a next page.
    const found = await deps.rpc.signaturesOf(address, { limit: limit + 1, ...(cursor && { before: cursor }) });
    const decoded = await decodeAll(deps, address, found.slice(0, limit));
    isMore = found.length > decoded.length;
    for (const [i, item] of decoded.entries()) {
      if (item) items.push(item);
      cursor = found[i]!.signature;
      isMore = i < found.length - 1;
      if (items.length === limit) break;
    }
  }
  return { walletAddress: address, network: deps.network, items, nextBefore: isMore ? cursor! : null };
}

/** In the order of the entries; null for a transaction that neither changed what the wallet holds nor was paid by it. */
async function decodeAll(deps: Deps, address: string, entries: HistoryEntry[]): Promise<(Item | null)[]> {
  const signatures = entries.map(({ signature }) => signature);
  const [transactions, prices] = await Promise.all([
    inParallel(PARALLEL_READS, signatures, (signature) => deps.rpc.transaction(signature)),
    pricesWhenRelayed(deps, signatures),
  ]);
  return entries.map((entry, i) => {
    const figures = transactions[i] ?? null;
    const activity = figures && decodeActivity(figures, address, deps.feeCollectors);
    return activity && isUntouched(activity) ? null : toItem(entry, activity, prices[i] ?? null);
  });
}

function toItem(entry: HistoryEntry, activity: Activity | null, usd: Prices["usd"] | null): Item {
  const { signature, slot, blockTime, error } = entry;
  const valued = activity && valuedParts(activity);
  return {
    txSignature: signature,
    type: activity?.type ?? "other",
    status: error === null ? "confirmed" : "failed",
    slot,
    time: blockTime === null ? null : new Date(blockTime * 1000).toISOString(),
    amounts: activity ? amountsOf(activity) : [],
    tokenAccountDepositLamports: Number(activity?.depositChange ?? 0n),
    networkFeeLamports: toNumber(activity?.networkFee),
    serviceFeeLamports: toNumber(activity?.serviceFee),
    usdValue: valued && usd && valueUsd(valued, usd),
    priceUsd: usd?.SOL ?? null,
  };
}

/** Null when there is a token in it that has no price here. */
function valueUsd({ lamports, tokens }: Valued, usd: Prices["usd"]): number | null {
  let microUsd = valueMicroUsd(lamports, 9, usd.SOL);
  for (const { mint, amount, decimals } of tokens) {
    const asset = assetOfMint(mint);
    const price = asset && usd[asset];
    if (price === null || price === undefined) return null;
    microUsd += valueMicroUsd(amount, decimals, price);
  }
  return fromMicroUsd(microUsd);
}

const toNumber = (lamports: bigint | null | undefined) =>
  lamports === null || lamports === undefined ? null : Number(lamports);

function amountsOf({ solChange, tokenChanges }: Activity): Change[] {
  const tokens = tokenChanges.map(({ mint, amount, decimals }) =>
    toChange(assetOfMint(mint), tokenSymbol(mint), mint, amount, decimals),
  );
  return solChange === 0n ? tokens : [toChange("SOL", "SOL", NATIVE_MINT, solChange, 9), ...tokens];
}

function toChange(asset: Change["asset"], symbol: string, mint: string, amount: bigint, decimals: number): Change {
  return { asset, symbol, mint, amount: amount.toString(), decimals, change: toCoins(amount, decimals) };
}
