import { checkDeployment, checkStore, getRuntime } from "./deps";
import { EnvError } from "./env";

/** Starts the runtime or ends the process: Next would otherwise answer every page with a 500. */
export async function checkBoot(): Promise<void> {
  try {
    const runtime = getRuntime();
    await checkStore(runtime);
    await checkDeployment(runtime.deps);
  } catch (error) {
    console.error(error instanceof EnvError ? error.message : error);
    process.exit(1);
  }
}
