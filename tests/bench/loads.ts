import { generateKeyPairSync } from "node:crypto";
import bs58 from "bs58";
import type { LoadJob } from "./load-job";
import type { BenchWallet } from "./wallets";

/** One for each request a load process has ready: none is asked for twice while its last answer is still cached. */
const STRANGERS = 32_000;

/** What is asked of the service, by the name used on the command line and in the table. */
export type Load = Pick<LoadJob, "method" | "requests">;

export const LOAD_NAMES = ["auth", "plans", "price", "roundup", "wrap", "portfolio", "strangers"] as const;
export type LoadName = (typeof LOAD_NAMES)[number];

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
    strangers: get(...Array.from({ length: STRANGERS }, () => `/api/portfolio/${anyAddress()}`)),
  };
}

export function get(...paths: string[]): Load {
  return { method: "GET", requests: paths.map((path) => ({ path })) };
}

/** Of a new wallet. tweetnacl, which makes the wallets that sign, takes a millisecond for one. */
function anyAddress(): string {
  const { publicKey } = generateKeyPairSync("ed25519");
  return bs58.encode(publicKey.export({ type: "spki", format: "der" }).subarray(-32));
}
