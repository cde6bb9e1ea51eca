import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { ensureSandboxOperator } from "../operator/sandbox-setup";
import type { LocalChain } from "./chain/chain";
import { lockDirectory } from "./chain/lock";
import { openSavedChain, startSaver } from "./chain/persist";
import { createMarket } from "./market/market";
import { createPrices } from "./market/price-book";
import type { RpcContext } from "./rpc/context";
import { createFaults } from "./rpc/faults";
import { openServer, type SandboxServer } from "./rpc/http";

/**
 * The sandbox's process: a local chain with its RPC and market. Forked by supervise.ts, or run by hand.
 *
 * chain/ and rpc/ are what the service is held against, so they share addresses with it and nothing else: transactions are
 * read with web3.js and run by Solana's own runtime; fees, rent, heights and statuses are reckoned here a second time. market/
 * plays the swap service: it writes its transactions with the service's own tools, and keeps its own arithmetic of prices
 * and quotes. rpc/ and market/ stand on chain/ and do not know each other; this file joins them.
 */

const HELP = `Runs a local Solana chain with a swap market on 127.0.0.1.

  --data-dir <dir>       where its state is kept (default .data/sandbox)
  --port <port>          of the RPC; the websocket is one above (default 8899, or free ones when those are taken)
  --exact-port           fail when the port is taken
  --prices <fixed|walk>  prices stand still, or walk, with years behind them (default walk)
`;

/** Milliseconds between looks whether an airdrop has been confirmed. */
const CONFIRM_POLL_MS = 50;

interface Options {
  dataDir: string;
  port: number;
  exactPort: boolean;
  prices: "fixed" | "walk";
}

interface RunningSandbox {
  url: string;
  feeCollectors: string[];
  close(): Promise<void>;
}

const printLine = (message: string) => console.log(message);
const printError = (error: unknown) => console.error(error instanceof Error ? (error.stack ?? error.message) : error);

/** @throws {Error} with a sentence about what cannot be understood */
function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      "data-dir": { type: "string", default: ".data/sandbox" },
      port: { type: "string", default: "8899" },
      "exact-port": { type: "boolean", default: false },
      prices: { type: "string", default: "walk" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_534) throw new Error("--port must be a number from 0 to 65534");
  if (values.prices !== "fixed" && values.prices !== "walk") throw new Error("--prices must be fixed or walk");
  return { dataDir: resolve(values["data-dir"]), port, exactPort: values["exact-port"], prices: values.prices };
}

async function airdropConfirmed(chain: LocalChain, address: string, lamports: bigint): Promise<void> {
  const signature = chain.airdrop(address, lamports);
  const info = chain.signatureInfo(signature);
  if (!info) throw new Error(`The airdrop to ${address} was not included`);
  while (chain.commitmentOf(info) === "processed") await new Promise((done) => setTimeout(done, CONFIRM_POLL_MS));
}

async function start({ dataDir, port, exactPort, prices: mode }: Options): Promise<RunningSandbox> {
  mkdirSync(dataDir, { recursive: true });
  const unlock = lockDirectory(dataDir);
  const ends: (() => void | Promise<void>)[] = [unlock];
  const close = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    const chain = openSavedChain(dataDir, printLine);
    const saver = startSaver(chain, dataDir, printLine);
    ends.push(() => saver.close());
    const prices = createPrices({ mode, seed: chain.secret("prices"), now: Date.now });
    const market = createMarket({ chain, seed: chain.secret("market"), prices, now: Date.now, onError: printError });
    market.genesis();
    market.start();
    ends.push(() => market.stop());
    const facts = { feeCollectors: [] as string[] };
    const context: RpcContext = {
      chain,
      faults: createFaults(),
      info: () => ({ network: "sandbox", prices: mode, maker: market.makerAddress, pid: process.pid, ...facts }),
      setPrice: prices.set,
      dailyPrices: prices.daily,
    };
    const server: SandboxServer = await openServer({ context, market, port, exactPort, report: printError });
    ends.push(() => server.close());
    const airdrop = (address: string, lamports: bigint) => airdropConfirmed(chain, address, lamports);
    Object.assign(facts, await ensureSandboxOperator({ rpcUrl: server.url, dataDir, airdrop }));
    return { url: server.url, feeCollectors: facts.feeCollectors, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Names the setting when the file system refused, e.g. on a full disk; other errors have their own sentence. */
function startFailure(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error && "syscall" in error)) return error;
  const sentence = `DATA_DIR: the sandbox data in ${dataDir} cannot be written: ${error.message}.`;
  const advice = "Free disk space, or name a folder that can be written, with DATA_DIR or --data-dir.";
  return new Error(`${sentence} ${advice}`, { cause: error });
}

function announce({ url, feeCollectors }: RunningSandbox): void {
  if (process.send) {
    process.send({ type: "ready", url, feeCollectors });
    return;
  }
  const websocket = new URL(url);
  printLine(`Sandbox RPC        ${url}`);
  printLine(`Sandbox websocket  ws://${websocket.hostname}:${Number(websocket.port) + 1}`);
  printLine("Point an app at it with:");
  printLine(`SANDBOX_URL=${url}`);
  printLine(`FEE_COLLECTORS=${feeCollectors.join(",")}`);
}

async function main(): Promise<void> {
  const options = readOptions();
  if (!options) return printLine(HELP);
  let running: RunningSandbox | undefined;
  let ending: Promise<void> | undefined;
  const end = (code: number) => {
    ending ??= (running?.close() ?? Promise.resolve()).catch(printError).finally(() => process.exit(code));
  };
  // The reader of our output may die first; a write to nobody must not keep us from saving.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  process.on("disconnect", () => end(0));
  process.on("SIGTERM", () => end(0));
  // Ctrl-C in a terminal reaches parent and child alike; a forked sandbox leaves the order of ending to its parent.
  process.on("SIGINT", () => process.send || end(0));
  process.on("uncaughtException", (error) => {
    printError(error);
    end(1);
  });
  running = await start(options).catch((error) => {
    throw startFailure(error, options.dataDir);
  });
  if (ending || (process.send && !process.connected)) {
    await running.close();
    process.exit(0);
  }
  announce(running);
}

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  console.error(message);
  if (process.send && process.connected) {
    process.send({ type: "failed", message }, () => process.exit(1));
  } else {
    process.exit(1);
  }
}
