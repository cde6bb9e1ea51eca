import { startSandbox } from "../../../lib/sandbox/supervise";

/** A process that has a sandbox, as server.ts does: prints what it is told, and the URL once it answers. */
const [dataDir = ""] = process.argv.slice(2);
const log = (message: string) => console.log(JSON.stringify({ message }));
const sandbox = await startSandbox({ dataDir, port: 0, log });
console.log(JSON.stringify({ url: sandbox.url, feeCollectors: sandbox.feeCollectors }));
process.on("SIGTERM", async () => {
  await sandbox.stop();
  process.exit(0);
});
