import { startSandbox } from "../../../lib/sandbox/supervise";

/* Starts a sandbox as a child process, as server.ts does. Prints the sandbox's log lines, then its URL. */

const [dataDir = ""] = process.argv.slice(2);
const log = (message: string) => console.log(JSON.stringify({ message }));
const sandbox = await startSandbox({ dataDir, port: 0, log });
console.log(JSON.stringify({ url: sandbox.url, feeCollectors: sandbox.feeCollectors }));
process.on("SIGTERM", async () => {
  await sandbox.stop();
  process.exit(0);
});
