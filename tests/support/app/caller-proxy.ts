import { onTestFinished } from "vitest";
import { createCallerAddress, record, resolveTarget } from "../client/client";
import { startProxy } from "./proxy";

/**
 * Starts a proxy to the app under test, for programs that do not use the test client. All its requests carry one
 * caller's address, and every response is recorded for the canary. The proxy stops when the test ends.
 * @returns its URL
 */
export async function startCallerProxy(): Promise<string> {
  const { base, addressHeader } = resolveTarget(createCallerAddress());
  const { url, stop } = await startProxy(base, async ({ headers }, forward) => {
    const answer = await forward({ ...headers, ...addressHeader });
    record("responses.txt", answer.body.toString());
    return answer;
  });
  onTestFinished(stop);
  return url;
}
