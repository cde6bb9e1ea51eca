import type { Fetch } from "../../../lib/sdk/world";

/** Returns a fetch that always gives this answer, and the requests that it received. */
export function createFetchStub(answer: unknown, status = 200) {
  const requests: { address: string; init: RequestInit }[] = [];
  const fetch: Fetch = async (address, init) => {
    requests.push({ address, init });
    return Response.json(answer, { status });
  };
  return { fetch, requests };
}
