import { runSandbox } from "../../../lib/sandbox/run";
import { createFaultMiddleware } from "../chain/faults";

/* Runs a sandbox whose faults tests may set. */

await runSandbox(process.argv.slice(2), createFaultMiddleware());
