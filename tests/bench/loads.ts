import { generateKeyPairSync } from "node:crypto";
import bs58 from "bs58";
import type { LoadJob } from "./load-job";
import type { BenchUser } from "./users";

/**
 * Number of wallets in the load of uncached portfolios. The load requests each in turn, so that it requests no wallet
 * twice while the answer is cached.
 */
const UNCACHED_WALLET_COUNT = 32_000;

/** Requests to the service, which a load process sends in turn. */
export type Load = Pick<LoadJob, "method" | "requests">;

export type LoadName = "auth" | "plans" | "price" | "roundup" | "wrap" | "portfolio" | "strangers";

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
    plans: createGetLoad("/api/plans"),
    price: createGetLoad("/api/price"),
    roundup: createPostLoad("/api/roundup", () => ({ plan: "forest" })),
    wrap: createPostLoad("/api/wrap", ({ address, serviceWallet }) => ({
      plan: "forest",
      userPubkey: address,
      serviceWalletPubkey: serviceWallet,
    })),
    portfolio: createGetLoad(...users.map(({ serviceWallet }) => `/api/portfolio/${serviceWallet}`)),
    strangers: createGetLoad(
      ...Array.from({ length: UNCACHED_WALLET_COUNT }, () => `/api/portfolio/${createAddress()}`),
    ),
  };
}

/** Creates a load of GET requests to these paths, in turn. */
export function createGetLoad(...paths: string[]): Load {
  return { method: "GET", requests: paths.map((path) => ({ path })) };
}

/** Creates the address of a wallet that never signs. tweetnacl would need 1 ms for its key pair. */
function createAddress(): string {
  const { publicKey } = generateKeyPairSync("ed25519");
  return bs58.encode(publicKey.export({ type: "spki", format: "der" }).subarray(-32));
}
