import type { Fetch } from "../../../lib/sdk/platform";

/** Creates a fetch that always returns this answer as JSON. Also returns the requests that the fetch receives. */
export function createFetchStub(answer: unknown, status = 200) {
  const requests: { address: string; init: RequestInit }[] = [];
  const fetch: Fetch = async (address, init) => {
    requests.push({ address, init });
    return Response.json(answer, { status });
  };
  return { fetch, requests };
}
