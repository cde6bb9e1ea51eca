import type { LoadJob } from "./load-job";
import type { BenchWallet } from "./wallets";

/** What is asked of the service, by the name used on the command line and in the table. */
export type Load = Pick<LoadJob, "method" | "requests">;

export type LoadName = "auth" | "plans" | "price" | "roundup" | "wrap" | "portfolio";

/** So many that hardly ever two requests in flight build the very same transaction. */
const AMOUNTS = 640;

export function serviceLoads(wallets: BenchWallet[]): Record<LoadName, Load> {
  const amounts = Array.from({ length: AMOUNTS }, (_, i) => (200_015 + 15 * i) / 10_000);
  // Wallets in turn: no two neighbouring requests are of one.
  const posts = (path: string, fields: (wallet: BenchWallet) => object): Load => ({
    method: "POST",
    requests: amounts.flatMap((txValueUsd) =>
      wallets.map((wallet) => ({
        path,
        headers: wallet.headers,
        body: JSON.stringify({ txValueUsd, ...fields(wallet) }),
      })),
    ),
  });
  return {
    auth: get("/api/auth"),
    plans: get("/api/plans"),
    price: get("/api/price"),
    roundup: posts("/api/roundup", () => ({ plan: "forest" })),
    wrap: posts("/api/wrap", ({ address, serviceWallet }) => ({
      plan: "forest",
      userPubkey: address,
      serviceWalletPubkey: serviceWallet,
    })),
    portfolio: get(...wallets.map(({ serviceWallet }) => `/api/portfolio/${serviceWallet}`)),
  };
}

export function get(...paths: string[]): Load {
  return { method: "GET", requests: paths.map((path) => ({ path })) };
}
