/*
 * Runs as a separate process for tests of the embedded store.
 * `kv-child.ts <path> write` writes until it is killed, and prints a line for each acknowledged write.
 * `kv-child.ts <path> race <n>` tries to be the first to set n keys, and prints how many it set first.
 * `kv-child.ts <path> fill` writes until three writes have failed, then reads, and prints the errors.
 * `kv-child.ts <path> hold` prints a line when it holds the write lock, and keeps it.
 */
import { writeSync } from "node:fs";
import { open } from "lmdb";
import { openLmdbStore } from "../../../lib/clients/store/kv-lmdb";

const [path, mode, count] = process.argv.slice(2);
if (!path) throw new Error("usage: kv-child.ts <path> write | race <count> | fill | hold");
const store = openLmdbStore({ path, clock: { now: () => Date.now() } });

if (mode === "hold") {
  const database = open({ path, encoding: "string", cache: false });
  database.transactionSync(() => {
    writeSync(1, "held\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
} else if (mode === "fill") {
  const failures: string[] = [];
  for (let index = 0; failures.length < 3; index++)
    await store.set(`filler:${index}`, "x".repeat(3_000)).catch((error) => {
      failures.push(`${error.code}: ${error.details.cause.message}`);
    });
  const firstFiller = await store.get<string>("filler:0");
  writeSync(1, `${JSON.stringify({ failures, read: firstFiller?.length })}\n`);
  process.exit();
} else if (mode === "race") {
  const keys = Array.from({ length: Number(count) }, (_, index) => `race:${index}`);
  const wins = await Promise.all(keys.map((key) => store.setIfAbsent(key, process.pid)));
  console.log(wins.filter(Boolean).length);
  await store.close();
} else {
  // Writes several keys at a time, so that the kill interrupts shared transactions.
  await Promise.all([0, 1, 2, 3].map(writeForever));
}

/** Blocks until the line is out. A line that console.log has queued would be lost at the kill. */
function printLine(line: string): void {
  writeSync(1, `${line}\n`);
}

async function writeForever(lane: number): Promise<never> {
  for (let index = 0; ; index++) {
    const name = `${lane}:${index}`;
    await store.set(`set:${name}`, { name, filler: "x".repeat(200) });
    printLine(`set:${name}`);
    await store.setIfAbsent(`once:${name}`, name);
    printLine(`once:${name}`);
    if (await store.replace(`count:${lane}`, index === 0 ? null : index - 1, index))
      printLine(`count:${lane} ${index}`);
    if (index === 0) continue;
    await store.delete(`once:${lane}:${index - 1}`);
    printLine(`gone once:${lane}:${index - 1}`);
  }
}
