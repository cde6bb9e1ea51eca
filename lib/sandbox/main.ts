import { runSandbox } from "./run";

await runSandbox(process.argv.slice(2));
