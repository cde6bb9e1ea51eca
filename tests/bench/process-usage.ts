import { existsSync, readFileSync } from "node:fs";

/** Linux counts CPU time in ticks of 10 ms on every machine that Node supports. */
const TICK_MS = 10;

/**
 * Runs a task and measures the CPU time of a process.
 * @returns the task's result, and the CPU time in ms, which is null when /proc does not exist
 */
export async function measureCpuMs<T>(
  pid: number,
  run: () => Promise<T>,
): Promise<{ result: T; cpuMs: number | null }> {
  const before = readCpuMs(pid);
  const result = await run();
  const after = readCpuMs(pid);
  return { result, cpuMs: before === null || after === null ? null : after - before };
}

/** Returns the CPU time of all threads of a process in ms, or null when /proc does not exist. */
function readCpuMs(pid: number): number | null {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return null;
  // The second field, the process name, may contain spaces. The 12th and 13th fields after it are user and system time.
  const fields = readFileSync(path, "utf8").split(") ").at(-1)!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
