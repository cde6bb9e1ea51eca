import type { DataOf, InputOf } from "../contracts/define";
import type { getOverviewContract } from "../contracts/get-overview";
import { summarizeBatches } from "../domain/spending/batches";
import { AppError } from "../errors";
import type { Clock } from "../ports/clock";
import type { Deps } from "../ports/deps";
import type { Caller, RequestContext } from "../ports/request-context";
import { readPauseTexts } from "./steps/pause";
import { readPriceList } from "./steps/prices/read-prices";
import { readPortfolio } from "./steps/reads/portfolio";
import { readActivity } from "./steps/reads/read-activity";
import { collectSpending } from "./steps/spending/collect-spending";

type Overview = DataOf<typeof getOverviewContract>;

const RECENT_ACTIVITY_LIMIT = 5;

/** Returns all parts of the dashboard overview. A part that fails is null and listed in `unavailable`. */
export async function getOverview(
  deps: Deps,
  { address, serviceWallet }: InputOf<typeof getOverviewContract>,
  { caller }: Pick<RequestContext, "caller">,
): Promise<Overview> {
  const cachedDeps = reuseHistoryWhileUnchanged(deps);
  const { data, unavailable } = await readParts(deps.clock, {
    prices: readPriceList(deps),
    portfolio: readPortfolio(deps, address),
    savings: serviceWallet === undefined ? null : readPortfolio(deps, serviceWallet),
    activity: readActivity(cachedDeps, { address: serviceWallet ?? address, limit: RECENT_ACTIVITY_LIMIT }),
    spending: summarizeSpending(cachedDeps, { address, serviceWallet }, caller),
    pauses: readPauseTexts(deps),
  });
  return {
    walletAddress: address,
    serviceWallet: serviceWallet ?? null,
    network: deps.network,
    ...data,
    activity: data.activity?.items ?? null,
    activityNextBefore: data.activity?.nextBefore ?? null,
    unavailable,
  };
}

/**
 * Returns `deps` that reuse a wallet's list of transactions until its balances change. The overview reads the balances
 * anyway. No payment is saved from this list: build and execute read the history themselves.
 */
function reuseHistoryWhileUnchanged(deps: Deps): Deps {
  const { rpc } = deps;
  const readSignatures: Deps["rpc"]["readSignatures"] = (address, page) =>
    rpc.readSignatures(address, { mayUseCacheIfUnchanged: true, ...page });
  return { ...deps, rpc: { ...rpc, readSignatures } };
}

/** Returns the unsaved spending and its total. @throws AppError credentials_missing for a public caller, upstream_* */
async function summarizeSpending(
  deps: Deps,
  input: InputOf<typeof getOverviewContract>,
  { kind }: Caller,
): Promise<Overview["spending"]> {
  if (kind === "public") throw new AppError("credentials_missing");
  const { items, batches, savedThrough, nextBefore, isComplete } = await collectSpending(deps, input);
  return { ...summarizeBatches(batches), savedThrough, isComplete, items, batches, nextBefore };
}

/** Time limit of one part, ms. Shorter than that of a request, so that one slow part does not fail the others. */
const PART_TIMEOUT_MS = 4_000;

interface Parts<Promises> {
  /** Null for a part that failed, and for a part that was passed as null. */
  data: { [Name in keyof Promises]: Awaited<Promises[Name]> | null };
  /** The reasons of the parts that failed, in the order of the parts. */
  unavailable: { part: keyof Promises; code: string; reason: string }[];
}

/**
 * Waits for the parts of an answer. A part that fails as planned or takes too long becomes null and does not fail the
 * others.
 * @throws the error of any part that is not an AppError
 */
async function readParts<Promises extends Record<string, Promise<unknown> | null>>(
  clock: Clock,
  parts: Promises,
): Promise<Parts<Promises>> {
  const timeout = clock.sleep(PART_TIMEOUT_MS).then(() => Promise.reject(new AppError("upstream_timeout")));
  const unavailable: Parts<Promises>["unavailable"] = [];
  const partNames: (keyof Promises)[] = Object.keys(parts);
  const results = await Promise.allSettled(partNames.map((name) => Promise.race([parts[name], timeout])));
  const entries = results.map((result, i) => {
    if (result.status === "fulfilled") return [partNames[i], result.value] as const;
    if (!(result.reason instanceof AppError)) throw result.reason;
    unavailable.push({ part: partNames[i]!, code: result.reason.code, reason: result.reason.message });
    return [partNames[i], null] as const;
  });
  return { data: Object.fromEntries(entries), unavailable };
}
