import { mkdirSync } from "node:fs";
import { ensureSandboxOperator } from "../operator/sandbox-operator";
import type { LocalChain } from "./chain/chain";
import { openStoredChain } from "./chain/store";
import { lockDirectory } from "./lock";
import { createMarket } from "./market/market";
import { createPriceBook } from "./market/price-book";
import { HELP, readOptions, type SandboxCommandOptions, toWebsocketUrl } from "./options";
import type { RpcContext } from "./rpc/context";
import { type Middleware, openServer } from "./rpc/server";

/*
 * Runs the sandbox's process: a local chain with its RPC and market. supervise.ts forks it, or a developer runs it.
 *
 * chain/ and rpc/ test the service, so they must not reuse its code. They share only addresses and asset symbols with
 * it. They read transactions with web3.js and run them on Solana's own runtime. They compute fees, rent, heights and
 * statuses independently. market/ imitates the swap aggregator. It uses the service's tools to write transactions, but
 * does its own price arithmetic. rpc/ and market/ both build on chain/ and do not import each other. This file connects
 * them.
 */

/** Interval between checks of an airdrop's confirmation, ms. */
const CONFIRM_POLL_MS = 50;

const printLine = (message: string) => console.log(message);
const printError = (error: unknown) => console.error(error instanceof Error ? (error.stack ?? error.message) : error);

/** Resolves when the airdrop is confirmed. @throws {Error} when it is not included */
async function airdropAndConfirm(chain: LocalChain, address: string, lamports: bigint): Promise<void> {
  const signature = chain.airdrop(address, lamports);
  const info = chain.findSignature(signature);
  if (!info) throw new Error(`The airdrop to ${address} was not included`);
  while (chain.findCommitment(info) === "processed")
    await new Promise((resolve) => setTimeout(resolve, CONFIRM_POLL_MS));
}

interface SandboxHooks {
  /** Called once when the chain cannot be stored any more. */
  onFailure: (error: unknown) => void;
  middleware?: Middleware;
}

async function openSandbox(options: SandboxCommandOptions, { onFailure, middleware }: SandboxHooks) {
  const { dataDir, port, requiresExactPort, prices: priceMode } = options;
  mkdirSync(dataDir, { recursive: true });
  const unlock = lockDirectory(dataDir);
  const cleanups: (() => void | Promise<void>)[] = [unlock];
  const closeSandbox = async () => {
    for (const cleanUp of cleanups.reverse()) await cleanUp();
  };
  try {
    const { fees: feeModel, slotMs } = options;
    const { chain, close } = openStoredChain({ directory: dataDir, onFailure, feeModel, slotMs });
    cleanups.push(close);
    const prices = createPriceBook({ mode: priceMode, seed: chain.deriveSecret("prices"), now: Date.now });
    const seed = chain.deriveSecret("market");
    const market = createMarket({ chain, seed, prices, now: Date.now, reportError: printError });
    market.createAccounts();
    market.start();
    cleanups.push(() => market.stop());
    let feeCollectors: string[] = [];
    const context: RpcContext = {
      chain,
      getInfo: () => ({
        network: "sandbox",
        prices: priceMode,
        maker: market.makerAddress,
        pid: process.pid,
        feeCollectors,
      }),
      issueUsdc: market.issueUsdc,
      setPrice: prices.setPrice,
      listDailyPrices: prices.listDailyPrices,
    };
    const server = await openServer({ context, middleware, market, port, requiresExactPort, reportError: printError });
    cleanups.push(() => server.close());
    const airdrop = (address: string, lamports: bigint) => airdropAndConfirm(chain, address, lamports);
    ({ feeCollectors } = await ensureSandboxOperator({ rpcUrl: server.url, dataDir, airdrop }));
    return { url: server.url, feeCollectors, close: closeSandbox };
  } catch (error) {
    await closeSandbox();
    throw error;
  }
}

/** Returns an error that names DATA_DIR, for a file or a change that could not be written, as on a full disk. */
function explainWriteError(error: unknown, dataDir: string): Error {
  const { message } = error as Error;
  const sentence = `DATA_DIR: the sandbox data in ${dataDir} cannot be written: ${message}.`;
  const advice = "Free disk space, or name a folder that can be written, with DATA_DIR or --data-dir.";
  return new Error(`${sentence} ${advice}`, { cause: error });
}

/** Reports the addresses: over IPC to the process that forked this one, else on the terminal. */
function announceStart({ url, feeCollectors }: { url: string; feeCollectors: string[] }): void {
  if (process.send) {
    process.send({ type: "ready", url, feeCollectors });
    return;
  }
  printLine(`Sandbox RPC        ${url}`);
  printLine(`Sandbox websocket  ${toWebsocketUrl(url)}`);
  printLine("Point an app at it with:");
  printLine(`SANDBOX_URL=${url}`);
  printLine(`FEE_COLLECTORS=${feeCollectors.join(",")}`);
}

async function start(args: string[], middleware?: Middleware): Promise<void> {
  // Only the user who started the sandbox may read its wallets.
  process.umask(0o077);
  const options = readOptions(args);
  if (!options) return printLine(HELP);
  let sandbox: Awaited<ReturnType<typeof openSandbox>> | undefined;
  let shutdownInFlight: Promise<void> | undefined;
  const shutDown = (exitCode: number) => {
    shutdownInFlight ??= (sandbox?.close() ?? Promise.resolve())
      .catch(printError)
      .finally(() => process.exit(exitCode));
  };
  // The process that reads this output may exit first. A failed write must not prevent the final save.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  process.on("disconnect", () => shutDown(0));
  process.on("SIGTERM", () => shutDown(0));
  // Ctrl-C in a terminal reaches parent and child. A forked sandbox ignores it and lets its parent stop it.
  process.on("SIGINT", () => process.send || shutDown(0));
  process.on("uncaughtException", (error) => {
    printError(error);
    shutDown(1);
  });
  const onFailure = (error: unknown) => {
    console.error(explainWriteError(error, options.dataDir).message);
    shutDown(1);
  };
  sandbox = await openSandbox(options, { onFailure, middleware }).catch((error) => {
    throw "syscall" in error ? explainWriteError(error, options.dataDir) : error;
  });
  if (shutdownInFlight || (process.send && !process.connected)) {
    await sandbox.close();
    process.exit(0);
  }
  announceStart(sandbox);
}

/** Runs the sandbox until the process ends. @param middleware stands before the server, for tests */
export async function runSandbox(args: string[], middleware?: Middleware): Promise<void> {
  try {
    await start(args, middleware);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(message);
    if (process.send && process.connected) {
      process.send({ type: "failed", message }, () => process.exit(1));
    } else {
      process.exit(1);
    }
  }
}
