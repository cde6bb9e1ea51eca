import type { BenchUser } from "./users";

/** Number of connections that a load keeps open. */
export const CONNECTIONS = 32;

/** Requests to the service, which are sent in turn. */
export interface Load {
  method: "GET" | "POST";
  requests: { path: string; headers?: Record<string, string>; body?: string }[];
}

/** Number of amounts. It is large, so that two requests in flight rarely build the same transaction. */
const AMOUNT_COUNT = 640;

/** Creates a load of reads, round-ups and builds each. Requests that depend on a user take the given users in turn. */
export function createServiceLoads(users: BenchUser[]): Load[] {
  // From $20.0015 in steps of $0.0015. Each leaves a round-up.
  const amountsUsd = Array.from({ length: AMOUNT_COUNT }, (_, i) => (200_015 + 15 * i) / 10_000);
  const createPostLoad = (path: string, createFields: (user: BenchUser) => object): Load => ({
    method: "POST",
    requests: amountsUsd.flatMap((txValueUsd) =>
      users.map((user) => ({
        path,
        headers: user.headers,
        body: JSON.stringify({ txValueUsd, plan: "forest", ...createFields(user) }),
      })),
    ),
  });
  return [
    createGetLoad(...users.map(({ serviceWallet }) => `/api/portfolio/${serviceWallet}`)),
    createGetLoad("/api/price"),
    createPostLoad("/api/roundup", () => ({})),
    createPostLoad("/api/wrap", ({ address, serviceWallet }) => ({
      userPubkey: address,
      serviceWalletPubkey: serviceWallet,
    })),
  ];
}

/** Creates a load of GET requests to these paths, in turn. */
function createGetLoad(...paths: string[]): Load {
  return { method: "GET", requests: paths.map((path) => ({ path })) };
}

/** Builds the request of this index: the requests in turn, each from a different address of 10.0.0.0/8. */
export function buildRequest({ method, requests }: Load, index: number) {
  const { path, headers, body } = requests[index % requests.length]!;
  const contentType: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  return { method, path, headers: { ...contentType, ...headers, "x-forwarded-for": address }, body };
}
