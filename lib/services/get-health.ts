import type { DataOf, InputOf } from "../contracts/define";
import type { getHealthContract } from "../contracts/get-health";
import { AppError } from "../errors";
import type { Deps } from "../ports";

export async function getHealth(
  deps: Deps,
  { probe }: InputOf<typeof getHealthContract>,
): Promise<DataOf<typeof getHealthContract>> {
  if (probe === "live") return { live: true, ready: null, network: deps.network };
  const checks = { chain: deps.rpc.blockHeight(), prices: deps.prices.current(), store: deps.kv.ping() };
  const results = await Promise.allSettled(Object.values(checks));
  const missing = Object.keys(checks).filter((_, i) => results[i]?.status === "rejected");
  if (missing.length > 0) {
    throw new AppError("upstream_unavailable", {
      message: `Live, but not ready: ${missing.join(", ")} did not answer.`,
      retryAfterSeconds: 5,
    });
  }
  return { live: true, ready: true, network: deps.network };
}
