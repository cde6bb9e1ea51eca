import type { DataOf, InputOf } from "../contracts/define";
import type { getHealthContract } from "../contracts/get-health";
import { ASSET_SYMBOLS } from "../domain/assets";
import { AppError } from "../errors";
import type { Deps, Prices } from "../ports";
import { countFunded } from "./steps/collectors";
import { pausesInForce } from "./steps/pause";

type Health = DataOf<typeof getHealthContract>;
type Degraded = Health["degraded"];

export async function getHealth(deps: Deps, { probe }: InputOf<typeof getHealthContract>): Promise<Health> {
  if (probe === "live") return { live: true, ready: null, network: deps.network, degraded: [] };
  if (deps.isEnding()) throw new AppError("service_not_ready", { message: "Live, but not ready: the process ends." });
  const [chain, prices, store, collectors] = await Promise.allSettled([
    deps.rpc.blockHeight(),
    deps.prices.current(),
    Promise.all([pausesInForce(deps), deps.kv.ping()]),
    countFunded(deps),
  ]);
  const missing = Object.entries({ chain, prices, store }).filter(([, { status }]) => status === "rejected");
  if (missing.length > 0 || prices.status === "rejected" || store.status === "rejected") {
    throw new AppError("upstream_unavailable", {
      message: `Live, but not ready: ${missing.map(([name]) => name).join(", ")} did not answer.`,
      retryAfterSeconds: 5,
    });
  }
  const [pauses] = store.value;
  const paused = pauses.map(({ parts, reason }) => ({
    part: "pause" as const,
    reason: `${parts.join(" and ")} paused by the operator${reason === null ? "" : `: ${reason}`}`,
  }));
  const funded = collectors.status === "fulfilled" ? collectors.value : null;
  const degraded = [...pricesFaults(prices.value), ...collectorFaults(deps, funded), ...paused];
  return { live: true, ready: true, network: deps.network, degraded };
}

function pricesFaults({ usd, doubts, secondSource }: Prices): Degraded {
  const doubted = ASSET_SYMBOLS.flatMap((asset) => {
    const fault = usd[asset] === undefined ? "missing" : doubts[asset];
    return fault
      ? [{ part: "prices" as const, reason: `the price of ${asset} is ${fault}; nothing is built with it` }]
      : [];
  });
  if (secondSource !== "silent" && secondSource !== "unauthorised") return doubted;
  const reason = secondSource === "silent" ? "does not answer" : "refuses its key";
  return [...doubted, { part: "second-price-source", reason: `it ${reason}; prices rest on the first alone` }];
}

/** @param funded null when they could not be read */
function collectorFaults({ feeCollectors }: Deps, funded: number | null): Degraded {
  const all = feeCollectors.length;
  if (funded === all) return [];
  const reasons = new Map([
    [null, "they could not be read"],
    [0, `none of the ${all} is funded, so nothing can be saved`],
  ]);
  return [{ part: "collectors", reason: reasons.get(funded) ?? `only ${funded} of ${all} are funded` }];
}
