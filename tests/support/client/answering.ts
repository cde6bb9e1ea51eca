import type { Fetch } from "../../../lib/sdk/world";

/** Returns a fetch that always gives this answer, and the requests that it received. */
export function answering(answer: unknown, status = 200) {
  const seen: { address: string; init: RequestInit }[] = [];
  const fetch: Fetch = async (address, init) => {
    seen.push({ address, init });
    return Response.json(answer, { status });
  };
  return { fetch, seen };
}
