import type { LoadJob } from "./load-job";
import type { BenchUser } from "./users";

/** Number of connections that a load keeps open. */
export const CONNECTIONS = 32;

/** Requests to the service, which a load process sends in turn. */
export type Load = Pick<LoadJob, "method" | "requests">;

export type LoadName = "auth" | "price" | "roundup" | "wrap" | "portfolio";

/** Number of amounts. It is large, so that two requests in flight rarely build the same transaction. */
const AMOUNT_COUNT = 640;

/** Creates every load. Requests that depend on a user take the given users in turn. */
export function createServiceLoads(users: BenchUser[]): Record<LoadName, Load> {
  // From $20.0015 in steps of $0.0015. Each leaves a round-up.
  const amountsUsd = Array.from({ length: AMOUNT_COUNT }, (_, i) => (200_015 + 15 * i) / 10_000);
  const createPostLoad = (path: string, createFields: (user: BenchUser) => object): Load => ({
    method: "POST",
    requests: amountsUsd.flatMap((txValueUsd) =>
      users.map((user) => ({
        path,
        headers: user.headers,
        body: JSON.stringify({ txValueUsd, ...createFields(user) }),
      })),
    ),
  });
  return {
    auth: createGetLoad("/api/auth"),
    price: createGetLoad("/api/price"),
    roundup: createPostLoad("/api/roundup", () => ({ plan: "forest" })),
    wrap: createPostLoad("/api/wrap", ({ address, serviceWallet }) => ({
      plan: "forest",
      userPubkey: address,
      serviceWalletPubkey: serviceWallet,
    })),
    portfolio: createGetLoad(...users.map(({ serviceWallet }) => `/api/portfolio/${serviceWallet}`)),
  };
}

/** Creates a load of GET requests to these paths, in turn. */
function createGetLoad(...paths: string[]): Load {
  return { method: "GET", requests: paths.map((path) => ({ path })) };
}
