import autocannon from "autocannon";
import { buildRequest, type LoadJob, type LoadResult } from "./load-job";

/*
 * Generates load in a separate process, so that its CPU time does not count as the server's. The process receives one
 * job at a time by message.
 */

process.on("message", async (job: LoadJob) => process.send?.(await runJob(job)));

/**
 * Number of requests that each connection prepares, as bytes, before the clock starts. Each request has its own client
 * address. 32 × 1,009 addresses stay below the limit of 60 calls a minute up to 32,000 requests a second.
 * The number is prime, so that each connection begins with a different wallet.
 */
const REQUESTS_PER_CONNECTION = 1_009;

async function runJob(job: LoadJob): Promise<LoadResult> {
  const { url, connections } = job;
  const result = await autocannon({
    url,
    connections,
    timeout: 30,
    ...createRepeatingOptions(job),
  });
  const { non2xx, errors, timeouts } = result;
  const failures = `${non2xx} with another status than 2xx, ${errors} errors, ${timeouts} of them timeouts`;
  return {
    seconds: result.duration,
    successCount: result["2xx"],
    failureCount: non2xx + errors,
    failures,
  };
}

/** Returns options that repeat the same prepared requests. */
function createRepeatingOptions({ seconds, ...job }: LoadJob): Partial<autocannon.Options> {
  let connectionCount = 0;
  return {
    duration: seconds,
    setupClient: (client) => {
      const firstIndex = REQUESTS_PER_CONNECTION * connectionCount++;
      client.setRequests(Array.from({ length: REQUESTS_PER_CONNECTION }, (_, i) => buildRequest(job, firstIndex + i)));
    },
  };
}
