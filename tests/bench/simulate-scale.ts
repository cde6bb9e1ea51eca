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
import { setPrices } from "../support/fakes/fake-deps";
import { signTransaction } from "../support/fixtures/test-wallets";
import { type RedisProcess, startRedis } from "../support/store/redis-server";
import { openRedisStore } from "../support/store/redis-store";
import { user } from "../support/worlds/relay-rig";
import { computeMedian } from "./median";
import { formatTable } from "./report";
import {
  type Simulation,
  type StoredRecord,
  simulateWallet,
  tagJson,
  tagText,
  toWalletTag,
  USER_CONTEXT,
} from "./wallet-use";

/*
 * Compares the store latency of each operation between an almost empty Redis and a Redis with ten records of each of a
 * million wallets: `npm run simulate:scale [-- --wallets 1000000]`. The program runs each operation once in staged time
 * and records its store calls. Both servers then execute these calls for the same wallets, in turn. The program exits
 * with 1 when a median differs by more than 20 %.
 */

/** Number of records that the full store holds of each wallet. */
const RECORDS_PER_WALLET = 10;
/** Number of wallets for which each operation is measured. The almost empty store holds only these wallets. */
const MEASURED_WALLET_COUNT = 1_000;
/** Maximum relative difference between the medians. */
const MAX_DIFFERENCE = 0.2;
const PREFIX = "roundup:";
/** Size of one write to the socket while the store is filled, in bytes. */
const CHUNK_BYTES = 1_000_000;
/** Placeholder for a wallet's tag in the recorded commands. The index is above that of every wallet. */
const TAG_PLACEHOLDER = toWalletTag(11_000_000);

interface Operation {
  name: string;
  /** Its store calls, in order. */
  calls: { method: keyof KvStore; args: unknown[] }[];
}

const { values } = parseArgs({ options: { wallets: { type: "string", default: "1000000" } } });
const walletCount = Number(values.wallets);
if (!(walletCount >= MEASURED_WALLET_COUNT && walletCount <= 10_000_000))
  throw new Error("--wallets is 1000 to 10000000");

const simulation = await simulateWallet(3);
const records = (await simulation.listRecords()).slice(0, RECORDS_PER_WALLET);
if (records.length < RECORDS_PER_WALLET) throw new Error("a wallet leaves too few records");
const operations = await recordOperations(simulation);
const [emptyServer, fullServer] = [await startRedis(), await startRedis()];
if (!emptyServer || !fullServer) throw new Error("This machine has no redis-server.");
try {
  const template = await readTemplate(records);
  const interval = Math.floor(walletCount / MEASURED_WALLET_COUNT);
  const measuredIndexes = Array.from({ length: MEASURED_WALLET_COUNT }, (_, i) => i * interval);
  await fillStore(emptyServer, template, measuredIndexes);
  const startedAt = performance.now();
  await fillStore(
    fullServer,
    template,
    Array.from({ length: walletCount }, (_, i) => i),
  );
  console.log(`filled in ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${await describeStore(fullServer)}`);
  printReport(await compareStores([emptyServer, fullServer], operations, measuredIndexes));
} finally {
  await emptyServer.stop();
  await fullServer.stop();
}

/** Runs each operation once, on the day after the simulation. @returns the operations with their store calls */
async function recordOperations({ world }: Simulation): Promise<Operation[]> {
  const { deps, serviceWallet } = world;
  const recordedOperations: Operation[] = [];
  const recordOperation = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    setPrices(deps);
    const callCount = deps.calls.length;
    const result = await run();
    const calls = deps.calls.slice(callCount).filter(({ port }) => port === "kv");
    recordedOperations.push({
      name,
      calls: calls.map(({ method, args }) => ({ method: method as keyof KvStore, args: [...args] })),
    });
    return result;
  };
  for (let payment = 0; payment < 3; payment++) world.pay(5.21 + payment);
  const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet };
  const walletQuery = { address: user.address, serviceWallet };

  await recordOperation("overview", () =>
    getOverview(deps, parseInput(getOverviewContract, walletQuery), USER_CONTEXT),
  );
  await recordOperation("activity", () => getActivity(deps, { address: serviceWallet, limit: 20 }));
  const { batches } = await recordOperation("spending", () =>
    getSpending(deps, parseInput(getSpendingContract, walletQuery)),
  );
  await recordOperation("wrap", () =>
    buildWrap(deps, parseInput(buildWrapContract, { ...wallets, txValueUsd: 27.63 })),
  );
  const batch = { ...wallets, ...batches[0]!, plan: "forest" };
  const saving = await recordOperation("wrap, batch", () =>
    buildWrapBatch(deps, parseInput(buildWrapBatchContract, batch), USER_CONTEXT),
  );
  const bytes = signTransaction(Buffer.from(saving.transaction!.base64, "base64"), user);
  if ((await recordOperation("execute, marked", () => world.postAndFindError(bytes))) !== null)
    throw new Error("the saving was refused");
  await recordOperation("execute, posted again", () => world.postAndFindError(bytes));
  const topup = { ...wallets, amountUsd: 5, period: "2099-W01" };
  await recordOperation("top-up", () => buildTopup(deps, parseInput(buildTopupContract, topup)));
  return recordedOperations;
}

/** Returns commands in the Redis protocol that write a wallet's records, split where the wallet's tag belongs. */
async function readTemplate(walletRecords: StoredRecord[]): Promise<string[]> {
  const server = (await startRedis())!;
  const client = new Redis({ port: server.port, protocol: 2 });
  const { kv } = openRedisStore(server.port);
  try {
    for (const { key, value, ttlMs } of walletRecords)
      await kv.set(tagText(key, TAG_PLACEHOLDER), tagJson(value, TAG_PLACEHOLDER), ttlMs ?? undefined);
    const commands: string[] = [];
    for (const key of (await client.keys(`${PREFIX}*`)).sort()) {
      const ttlMs = await client.pttl(key);
      commands.push(toCommand(["SET", key, (await client.get(key))!, ...(ttlMs < 0 ? [] : ["PX", String(ttlMs)])]));
    }
    return commands.join("").split(TAG_PLACEHOLDER);
  } finally {
    await kv.close();
    client.disconnect();
    await server.stop();
  }
}

/** Encodes a command in the Redis protocol. */
function toCommand(parts: string[]): string {
  return `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join("")}`;
}

/** Writes the records of these wallets. @throws Error when the server refuses a record */
async function fillStore({ port }: RedisProcess, template: string[], indexes: number[]): Promise<void> {
  const socket = createConnection({ port, host: "127.0.0.1" });
  await once(socket, "connect");
  const allAnswers = waitForAnswers(socket, indexes.length * RECORDS_PER_WALLET);
  let chunk = "";
  for (const index of indexes) {
    chunk += template.join(toWalletTag(index));
    if (chunk.length < CHUNK_BYTES) continue;
    if (!socket.write(chunk)) await once(socket, "drain");
    chunk = "";
  }
  socket.write(chunk);
  await allAnswers;
  socket.destroy();
}

/** Resolves after this many `+OK` lines. Rejects when the server reports an error. */
function waitForAnswers(socket: Socket, answerCount: number): Promise<void> {
  const expectedBytes = answerCount * "+OK\r\n".length;
  let receivedBytes = 0;
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("data", (data) => {
      if (data.includes("-")) reject(new Error(data.toString().slice(0, 200)));
      receivedBytes += data.length;
      if (receivedBytes >= expectedBytes) resolve();
    });
  });
}

async function describeStore({ port }: RedisProcess): Promise<string> {
  const client = new Redis({ port, protocol: 2 });
  const usedBytes = /^used_memory:(\d+)/m.exec(await client.info("memory"))![1];
  const keyCount = await client.dbsize();
  client.disconnect();
  return `${keyCount.toLocaleString("en")} records, ${(Number(usedBytes) / 1e9).toFixed(2)} GB`;
}

interface Row {
  name: string;
  commandCount: number;
  /** Median times in the almost empty store and in the full store. */
  emptyMs: number;
  fullMs: number;
}

/** Executes each operation for each wallet on both servers. The server that goes first alternates. */
async function compareStores(
  servers: [RedisProcess, RedisProcess],
  operations: Operation[],
  indexes: number[],
): Promise<Row[]> {
  const stores = servers.map(({ port }) => openRedisStore(port).kv);
  const times = operations.map((): [number[], number[]] => [[], []]);
  for (const kv of stores) await kv.ping();
  for (const [i, index] of indexes.entries()) {
    for (const [operationIndex, operation] of operations.entries())
      for (const side of i % 2 === 0 ? [0, 1] : [1, 0])
        times[operationIndex]![side]!.push(await replayCalls(stores[side]!, operation, toWalletTag(index)));
  }
  await Promise.all(stores.map((kv) => kv.close()));
  return operations.map(({ name, calls }, operationIndex) => {
    // The first tenth warms up both connections and the code.
    const [emptyMs, fullMs] = times[operationIndex]!.map((storeTimes) =>
      computeMedian(storeTimes.slice(indexes.length / 10)),
    );
    return { name, commandCount: calls.length, emptyMs: emptyMs!, fullMs: fullMs! };
  });
}

/** Executes the store calls of an operation for one wallet. @returns the time that they take, ms */
async function replayCalls(kv: KvStore, { calls }: Operation, tag: string): Promise<number> {
  const taggedCalls = calls.map(({ method, args }) => ({
    method,
    args: args.map((argument) => argument && tagJson(argument as Json, tag)),
  }));
  const startedAt = performance.now();
  for (const { method, args } of taggedCalls) await (kv[method] as (...args: unknown[]) => Promise<unknown>)(...args);
  return performance.now() - startedAt;
}

/** Prints the medians. Sets the exit code when two medians differ too much. */
function printReport(rows: Row[]): void {
  const cells = rows.map(({ name, commandCount, emptyMs, fullMs }) => {
    if (Math.abs(fullMs / emptyMs - 1) > MAX_DIFFERENCE) process.exitCode = 1;
    return [name, String(commandCount), ...[emptyMs, fullMs, fullMs / emptyMs].map((value) => value.toFixed(2))];
  });
  console.log(formatTable(["operation", "store commands", "almost empty, ms", "full, ms", "ratio"], cells));
}
