import type { DataOf, InputOf } from "../contracts/define";
import type { getHealthContract } from "../contracts/get-health";
import { ASSET_SYMBOLS } from "../domain/assets";
import type { AccountState } from "../domain/chain-accounts";
import type { Pause } from "../domain/pause";
import type { Prices } from "../domain/prices/prices";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import type { UpstreamReport } from "../ports/upstream-report";
import { readCollectors } from "./steps/collectors";
import { formatPause, readPauses } from "./steps/pause";

type Health = DataOf<typeof getHealthContract>;
type DegradedParts = Health["degraded"];
type Report = NonNullable<Health["report"]>;

/** Time within which each upstream must answer, ms. A slower upstream counts as not answering. */
const UPSTREAM_TIMEOUT_MS = 4_000;

/**
 * Reports whether the service is ready and which parts are degraded. The probe `ready` is about this instance alone:
 * an outage of the nodes or the market must not take every instance out of rotation.
 */
export async function getHealth(
  deps: Deps,
  { probe, verbose }: InputOf<typeof getHealthContract>,
  { hasStaticKey }: Pick<RequestContext, "hasStaticKey">,
): Promise<Health> {
  const isVerbose = verbose !== undefined;
  if (isVerbose && !hasStaticKey()) throw new AppError("credentials_missing", { message: OPERATOR_ONLY_TEXT });
  const commonFields = { live: true as const, network: deps.network };
  if (probe === "live") return { ...commonFields, ready: null, degraded: [] };
  const isEnding = deps.isEnding();
  if (isEnding && !isVerbose)
    throw new AppError("service_not_ready", { message: "Live, but not ready: the process ends." });
  if (probe === "ready" && !isVerbose)
    return { ...commonFields, ready: true, degraded: await readInstanceFaults(deps) };
  const [blockHeight, prices, pauses, collectors] = await Promise.all([
    readOrNull(deps, deps.rpc.readBlockHeight()),
    readOrNull(deps, deps.prices.readCurrent()),
    readPausesFromStore(deps),
    readOrNull(deps, readCollectors(deps)),
  ]);
  const missingParts = Object.entries({ chain: blockHeight, prices, store: pauses }).flatMap(([name, answer]) =>
    answer === null ? [name] : [],
  );
  // The second price source is reported separately.
  const isKeyRefused = deps
    .reportUpstreams()
    .some(({ name, state, lastFault }) => name === "jupiter" && state === "failing" && lastFault === "key_refused");
  if (missingParts.length > 0 && !isVerbose)
    throw createNotReadyError(missingParts, isKeyRefused ? ` ${KEY_REFUSED_TEXT}.` : "");
  const degraded: DegradedParts = [
    ...(isKeyRefused
      ? [{ part: "prices" as const, reason: `${KEY_REFUSED_TEXT}; prices grow old and nothing is swapped` }]
      : []),
    ...(prices ? listPriceFaults(prices) : []),
    ...listCollectorFaults(deps, collectors),
    ...(pauses ? toPauseFaults(pauses) : []),
  ];
  const health = { ...commonFields, ready: missingParts.length === 0 && !isEnding, degraded };
  return isVerbose ? { ...health, report: buildHealthReport(deps, prices, collectors?.accounts ?? null) } : health;
}

const KEY_REFUSED_TEXT = "jupiter refuses the key that is configured";
const OPERATOR_ONLY_TEXT = "A verbose answer is the operator's: send a static API key as x-api-key.";

const createNotReadyError = (missingParts: string[], addedText = "") =>
  new AppError("upstream_unavailable", {
    message: `Live, but not ready: ${missingParts.join(", ")} did not answer.${addedText}`,
    retryAfterSeconds: 5,
  });

/**
 * Reads the store, and lists the upstreams whose last call failed. Does not call the upstreams.
 * @throws AppError upstream_unavailable when the store does not answer
 */
async function readInstanceFaults(deps: Deps): Promise<DegradedParts> {
  const pauses = await readPausesFromStore(deps);
  if (pauses === null) throw createNotReadyError(["store"]);
  const failingUpstreams = deps.reportUpstreams().filter(({ state }) => FAILING_STATES.has(state));
  return [
    ...failingUpstreams.map(({ name, state }) => ({ part: "upstream" as const, reason: `${name}: ${state}` })),
    ...toPauseFaults(pauses),
  ];
}

const FAILING_STATES: ReadonlySet<string> = new Set<UpstreamReport["state"]>(["failing", "lagging", "wrong network"]);

const readOrNull = <T>(deps: Deps, call: Promise<T>): Promise<T | null> =>
  Promise.race([call, deps.clock.sleep(UPSTREAM_TIMEOUT_MS).then(() => null)]).catch(() => null);

/** Returns the pauses in force, or null when the store cannot be read and written. */
const readPausesFromStore = (deps: Deps) =>
  readOrNull(
    deps,
    Promise.all([readPauses(deps), deps.kv.ping()]).then(([pauses]) => pauses),
  );

function toPauseFaults(pauses: Pause[]): DegradedParts {
  return pauses.map((pause) => ({ part: "pause", reason: formatPause(pause) }));
}

function listPriceFaults({ usd, doubts, secondSource }: Prices): DegradedParts {
  const priceFaults = ASSET_SYMBOLS.flatMap((asset) => {
    const fault = usd[asset] === undefined ? "missing" : doubts[asset];
    return fault
      ? [{ part: "prices" as const, reason: `the price of ${asset} is ${fault}; nothing is built with it` }]
      : [];
  });
  if (secondSource !== "silent" && secondSource !== "unauthorised") return priceFaults;
  const reason = secondSource === "silent" ? "does not answer" : "refuses its key";
  return [...priceFaults, { part: "second-price-source", reason: `it ${reason}; prices rest on the first alone` }];
}

/** @param counts collectors that can take a fee in SOL and in USDC; null if their accounts could not be read */
function listCollectorFaults(
  { feeCollectors }: Deps,
  counts: { fundedCount: number; usdcCount: number } | null,
): DegradedParts {
  if (counts === null) return [{ part: "collectors", reason: "they could not be read" }];
  const total = feeCollectors.length;
  const { fundedCount: funded, usdcCount: usdc } = counts;
  const noUsdcText = "can take fees in USDC, so savings in USDC are refused; savings in SOL go on";
  const reasons = [
    ...(funded === 0 ? [`none of the ${total} is funded, so nothing can be saved`] : []),
    ...(funded > 0 && funded < total ? [`only ${funded} of ${total} are funded`] : []),
    ...(usdc === 0 ? [`none of the ${total} ${noUsdcText}`] : []),
    ...(usdc > 0 && usdc < total ? [`only ${usdc} of ${total} can take fees in USDC`] : []),
  ];
  return reasons.map((reason) => ({ part: "collectors", reason }));
}

/**
 * Builds the operator's report. Contains no upstream URLs and no upstream error texts, because both may hold keys.
 * @param accounts accounts of the collectors, in their order; null if they could not be read
 */
function buildHealthReport(
  { reportUpstreams, feeCollectors, clock }: Deps,
  prices: Prices | null,
  accounts: (AccountState | null)[] | null,
): Report {
  const now = clock.now();
  const toAgeMs = (timeMs: number | null | undefined) =>
    timeMs == null ? null : Math.max(0, Math.round(now - timeMs));
  return {
    upstreams: reportUpstreams().map(({ answeredAt, lastFault, lastRefusal = null, name, state, lagSlots }) => {
      return { name, state, lagSlots, lastAnswerAgeMs: toAgeMs(answeredAt), lastError: lastFault, lastRefusal };
    }),
    collectors: feeCollectors.map((address, i) => ({
      address,
      balanceLamports: accounts && Number(accounts[i]?.lamports ?? 0n),
    })),
    priceAgeMs: toAgeMs(prices?.fetchedAt),
  };
}
