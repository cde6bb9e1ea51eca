import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { Redis } from "ioredis";
import { buildTopupContract } from "../../lib/contracts/build-topup";
import { buildWrapContract } from "../../lib/contracts/build-wrap";
import { buildWrapBatchContract } from "../../lib/contracts/build-wrap-batch";
import { getOverviewContract } from "../../lib/contracts/get-overview";
import { getSpendingContract } from "../../lib/contracts/get-spending";
import type { Json } from "../../lib/ports/json";
import type { KvStore } from "../../lib/ports/kv-store";
import { buildTopup } from "../../lib/services/build-topup";
import { buildWrap } from "../../lib/services/build-wrap";
import { buildWrapBatch } from "../../lib/services/build-wrap-batch";
import { getActivity } from "../../lib/services/get-activity";
import { getOverview } from "../../lib/services/get-overview";
import { getSpending } from "../../lib/services/get-spending";
import { parseInput } from "../support/client/contract-input";
import { pricesAt } from "../support/fakes/fake-deps";
import { signTransaction } from "../support/fixtures/test-wallets";
import { type RedisProcess, startRedis } from "../support/store/redis-server";
import { openRedisStore } from "../support/store/redis-store";
import { user } from "../support/worlds/relay-rig";
import { formatTable } from "./report";
import { computeMedian } from "./throughput";
import { CONTEXT, markJson, markText, type Simulation, type StoredRecord, simulateWallet, toMark } from "./wallet-use";

/*
 * `npm run simulate:scale [-- --wallets 1000000]`: compares the store latency of each operation between an almost empty
 * Redis and one that holds ten records of each of a million wallets. The operations run once on staged time, and their
 * store commands are recorded. Both servers then execute these commands for the same wallets, in turn. Exits with 1
 * when a median differs by more than 20 %.
 */

/** Records that the full store holds of each wallet. */
const RECORDS_EACH = 10;
/** Wallets for which each operation is measured. Only these are in the almost empty store. */
const MEASURED_WALLETS = 1_000;
const MAX_DIFFERENCE = 0.2;
const PREFIX = "roundup:";
/** Size of one write to the socket while the store is filled, in bytes. */
const CHUNK_BYTES = 1_000_000;
/** Placeholder for a wallet's mark in the recorded commands. */
const PLACEHOLDER = toMark(11_000_000);

interface Operation {
  name: string;
  calls: { method: keyof KvStore; args: unknown[] }[];
}

const { values } = parseArgs({ options: { wallets: { type: "string", default: "1000000" } } });
const wallets = Number(values.wallets);
if (!(wallets >= MEASURED_WALLETS && wallets <= 10_000_000)) throw new Error("--wallets is 1000 to 10000000");

const simulated = await simulateWallet(3);
const records = (await simulated.listRecords()).slice(0, RECORDS_EACH);
if (records.length < RECORDS_EACH) throw new Error("a wallet leaves too few records");
const operations = await recordOperations(simulated);
const [empty, full] = [await startRedis(), await startRedis()];
if (!empty || !full) throw new Error("This machine has no redis-server.");
try {
  const template = await readTemplate(records);
  const interval = Math.floor(wallets / MEASURED_WALLETS);
  const measuredIndexes = Array.from({ length: MEASURED_WALLETS }, (_, i) => i * interval);
  await fillStore(empty, template, measuredIndexes);
  const began = performance.now();
  await fillStore(
    full,
    template,
    Array.from({ length: wallets }, (_, i) => i),
  );
  console.log(`filled in ${((performance.now() - began) / 1000).toFixed(0)} s: ${await describeStore(full)}`);
  report(await compareStores([empty, full], operations, measuredIndexes));
} finally {
  await empty.stop();
  await full.stop();
}

/** Runs each operation once, as the wallet's next day. @returns its store calls, in order */
async function recordOperations({ world }: Simulation): Promise<Operation[]> {
  const { deps, service } = world;
  const recorded: Operation[] = [];
  const record = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    deps.quoted.current = pricesAt(deps.clock.now());
    const from = deps.calls.length;
    const result = await run();
    const calls = deps.calls.slice(from).filter(({ port }) => port === "kv");
    recorded.push({
      name,
      calls: calls.map(({ method, args }) => ({ method: method as keyof KvStore, args: [...args] })),
    });
    return result;
  };
  for (let payment = 0; payment < 3; payment++) world.pay(5.21 + payment);
  const addresses = { userPubkey: user.address, serviceWalletPubkey: service };
  const reads = { address: user.address, serviceWallet: service };
  const sign = (base64: string) => signTransaction(Buffer.from(base64, "base64"), user);

  await record("overview", () => getOverview(deps, parseInput(getOverviewContract, reads), CONTEXT));
  await record("activity", () => getActivity(deps, { address: service, limit: 20 }));
  const { batches, savedThrough } = await record("spending", () =>
    getSpending(deps, parseInput(getSpendingContract, reads), CONTEXT),
  );
  await record("wrap", () => buildWrap(deps, parseInput(buildWrapContract, { ...addresses, txValueUsd: 27.63 })));
  const batch = { ...addresses, ...batches[0]!, after: savedThrough ?? "none", plan: "forest" };
  const saving = await record("wrap, batch", () =>
    buildWrapBatch(deps, parseInput(buildWrapBatchContract, batch), CONTEXT),
  );
  const bytes = sign(saving.transaction!.base64);
  if ((await record("execute, marked", () => world.send(bytes))) !== null) throw new Error("the saving was refused");
  await record("execute, posted again", () => world.send(bytes));
  const topup = { ...addresses, amountUsd: 5, period: "2099-W01" };
  await record("top-up", () => buildTopup(deps, parseInput(buildTopupContract, topup)));
  return recorded;
}

/** Returns the records of a wallet as Redis protocol, split where the wallet's mark belongs. */
async function readTemplate(walletRecords: StoredRecord[]): Promise<string[]> {
  const server = (await startRedis())!;
  const client = new Redis({ port: server.port, protocol: 2 });
  const { kv } = openRedisStore(server.port);
  try {
    for (const { key, value, ttlMs } of walletRecords)
      await kv.set(markText(key, PLACEHOLDER), markJson(value, PLACEHOLDER), ttlMs ?? undefined);
    const commands: string[] = [];
    for (const key of (await client.keys(`${PREFIX}*`)).sort()) {
      const ttlMs = await client.pttl(key);
      commands.push(toCommand(["SET", key, (await client.get(key))!, ...(ttlMs < 0 ? [] : ["PX", String(ttlMs)])]));
    }
    return commands.join("").split(PLACEHOLDER);
  } finally {
    await kv.close();
    client.disconnect();
    await server.stop();
  }
}

function toCommand(parts: string[]): string {
  return `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join("")}`;
}

/** Writes the records of these wallets. @throws Error when the server refuses any */
async function fillStore({ port }: RedisProcess, template: string[], indexes: number[]): Promise<void> {
  const socket = createConnection({ port, host: "127.0.0.1" });
  await once(socket, "connect");
  const answered = waitForAnswers(socket, indexes.length * RECORDS_EACH);
  let chunk = "";
  for (const index of indexes) {
    chunk += template.join(toMark(index));
    if (chunk.length < CHUNK_BYTES) continue;
    if (!socket.write(chunk)) await once(socket, "drain");
    chunk = "";
  }
  socket.write(chunk);
  await answered;
  socket.destroy();
}

/** Resolves after this many `+OK` lines. */
function waitForAnswers(socket: Socket, wanted: number): Promise<void> {
  const bytes = wanted * "+OK\r\n".length;
  let received = 0;
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("data", (data) => {
      if (data.includes("-")) reject(new Error(data.toString().slice(0, 200)));
      received += data.length;
      if (received >= bytes) resolve();
    });
  });
}

async function describeStore({ port }: RedisProcess): Promise<string> {
  const client = new Redis({ port, protocol: 2 });
  const used = /^used_memory:(\d+)/m.exec(await client.info("memory"))![1];
  const keys = await client.dbsize();
  client.disconnect();
  return `${keys.toLocaleString("en")} records, ${(Number(used) / 1e9).toFixed(2)} GB`;
}

interface Row {
  name: string;
  commands: number;
  /** Medians, ms. */
  empty: number;
  full: number;
}

/** Executes each operation for each wallet on both servers. The server that goes first alternates. */
async function compareStores(
  servers: [RedisProcess, RedisProcess],
  all: Operation[],
  indexes: number[],
): Promise<Row[]> {
  const stores = servers.map(({ port }) => openRedisStore(port).kv);
  const times = all.map((): [number[], number[]] => [[], []]);
  for (const kv of stores) await kv.ping();
  for (const [i, index] of indexes.entries()) {
    for (const [at, operation] of all.entries())
      for (const side of i % 2 === 0 ? [0, 1] : [1, 0])
        times[at]![side]!.push(await replay(stores[side]!, operation, toMark(index)));
  }
  await Promise.all(stores.map((kv) => kv.close()));
  return all.map(({ name, calls }, at) => {
    // The first tenth warms up both connections and the code.
    const [emptyMs, fullMs] = times[at]!.map((side) => computeMedian(side.slice(indexes.length / 10)));
    return { name, commands: calls.length, empty: emptyMs!, full: fullMs! };
  });
}

/** Executes the store calls of an operation for one wallet. @returns milliseconds */
async function replay(kv: KvStore, { calls }: Operation, mark: string): Promise<number> {
  const markedCalls = calls.map(({ method, args }) => ({ method, args: args.map((arg) => markArgument(arg, mark)) }));
  const from = performance.now();
  for (const { method, args } of markedCalls) await (kv[method] as (...args: unknown[]) => Promise<unknown>)(...args);
  return performance.now() - from;
}

function markArgument(arg: unknown, mark: string): unknown {
  return arg === undefined ? arg : markJson(arg as Json, mark);
}

function report(rows: Row[]): void {
  const cells = rows.map(({ name, commands, empty: few, full: many }) => {
    if (Math.abs(many / few - 1) > MAX_DIFFERENCE) process.exitCode = 1;
    return [name, String(commands), ...[few, many, many / few].map((value) => value.toFixed(2))];
  });
  console.log(formatTable(["operation", "store commands", "almost empty, ms", "full, ms", "ratio"], cells));
}
