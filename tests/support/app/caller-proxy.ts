import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { createCallerAddress, resolveTarget } from "../client/client";
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
    appendFileSync(join(inject("apps").recordings, "responses.txt"), answer.body);
    return answer;
  });
  onTestFinished(stop);
  return url;
}
