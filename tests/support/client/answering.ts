import type { Fetch } from "../../../lib/sdk/world";

/** A fetch that always gets this answer, and what it was asked. */
export function answering(answer: unknown, status = 200) {
  const seen: { address: string; init: RequestInit }[] = [];
  const fetch: Fetch = async (address, init) => {
    seen.push({ address, init });
    return Response.json(answer, { status });
  };
  return { fetch, seen };
}
