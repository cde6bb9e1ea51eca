import autocannon from "autocannon";
import { type LoadJob, type LoadResult, toRequest } from "./load-job";

/*
 * The load generator. It is a separate process, so that its CPU time does not count as the server's. It receives one
 * job at a time by message.
 */

process.on("message", async (job: LoadJob) => process.send?.(await run(job)));

/**
 * Number of requests that each connection prepares, as bytes, before the clock starts. Each request has its own client
 * address. 32 × 1,009 addresses stay below the limit of 60 calls a minute up to 32,000 requests a second.
 *
 * It is a prime, so that each connection begins with a different wallet. With 1,000, all connections requested the same
 * wallet at the same time, and came back to it only after its cached readings had expired.
 */
const REQUESTS_PER_CONNECTION = 1_009;

async function run(job: LoadJob): Promise<LoadResult> {
  const { url, connections } = job;
  const result = await autocannon({
    url,
    connections,
    timeout: 30,
    ...(job.amount === undefined ? repeatRequests(job) : sendDistinct(job)),
  });
  const { non2xx, errors, timeouts } = result;
  const failures = `${non2xx} with another status than 2xx, ${errors} errors, ${timeouts} of them timeouts`;
  return {
    seconds: result.duration,
    good: result["2xx"],
    bad: non2xx + errors,
    failures,
    p99Ms: result.latency.p99,
  };
}

/** Returns options that repeat the same prepared requests. */
function repeatRequests({ seconds = 1, ...job }: LoadJob): Partial<autocannon.Options> {
  let connection = 0;
  return {
    duration: seconds,
    setupClient: (client) => {
      const first = REQUESTS_PER_CONNECTION * connection++;
      client.setRequests(Array.from({ length: REQUESTS_PER_CONNECTION }, (_, i) => toRequest(job, first + i)));
    },
  };
}

/** Returns options that send every request from a different address. The cost of this is not measured. */
function sendDistinct({ amount = 1, ...job }: LoadJob): Partial<autocannon.Options> {
  let sent = 0;
  return { amount, requests: [{ setupRequest: (base) => ({ ...base, ...toRequest(job, sent++) }) }] };
}
