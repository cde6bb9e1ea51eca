import { type ChildProcess, fork } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { signWithKey } from "../../lib/sdk/sign/transactions";
import { toBase64 } from "../../lib/solana/bytes";
import { buildSystemTransfer } from "../../lib/solana/system-instructions";
import { composeTransaction } from "../../lib/solana/transactions";
import * as service from "../e2e/support/service";
import { sandboxRpc } from "../support/app/app";
import type { Flood } from "./flood-process";
import { startApp } from "./measured-server";
import type { Check } from "./report";

const SENDS_PER_SECOND = 2;
/** The default on mainnet. */
const RPC_CALLS_PER_SECOND = 100;
const MERCHANT_KEY = "merchant-key-of-the-bench-0123456789";
/** The numbers of flooding addresses. */
const ADDRESS_COUNTS = [1, 4, 50, 200];
/** The number of posted transactions. More at once mostly measure how fast one process takes new connections. */
const FLOOD_SIZE = 220;
/** The flooding wallet's SOL: the rent minimum and the fees of a hundred transactions. */
const FLOODER_SOL = 0.001391;
const ORDERS_ALONE = 5;
/** Orders beside the flood, one every two seconds. The last ones find the callers after many turns. */
const ORDERS_BESIDE = 10;
const ORDER_PAUSE_MS = 2_000;

export interface TurnsFigures {
  addressCount: number;
  /** How many transactions of the flood were posted, and how many of them were refused with 429 or 503. */
  posted: number;
  refused: number;
  /** The median time of an order alone, from its build to its confirmation, and the longest beside the flood, s. */
  aloneSeconds: number;
  besideSeconds: number;
}

/** Measures a merchant's orders alone and beside a flood of transactions, for several numbers of flooding addresses. */
export async function measureTurns(folder: string): Promise<TurnsFigures[]> {
  const figures: TurnsFigures[] = [];
  for (const addressCount of ADDRESS_COUNTS)
    figures.push(await measureFlood(`${folder}/turns-${addressCount}`, addressCount));
  return figures;
}

async function measureFlood(dataDir: string, addressCount: number): Promise<TurnsFigures> {
  const flooder = startFlooder();
  const app = await startApp(dataDir, {
    SENDS_PER_SECOND: String(SENDS_PER_SECOND),
    RPC_CALLS_PER_SECOND: String(RPC_CALLS_PER_SECOND),
    API_KEYS: `merchant:${MERCHANT_KEY}:600`,
  });
  try {
    const customer = service.createSaver();
    await service.registerServiceWallet(customer, app.url);
    for (const address of [customer.wallet, customer.serviceWallet.address]) await service.fund(address, 5, app.url);
    let orderCount = 0;
    const measureOrder = () => placeOrder(app.url, customer, `order-${++orderCount}`);
    const alone: number[] = [];
    for (let i = 0; i < ORDERS_ALONE; i++) {
      alone.push(await measureOrder());
      // Without the pause, each order would wait for the send that the order before has used.
      await setTimeout(1_000 / SENDS_PER_SECOND);
    }

    const flood = await signFlood(app.url, app.rpcUrl, addressCount);
    const statuses: number[] = [];
    const posting = new Promise<void>((resolve) => {
      flooder.on("message", (status: number | "posted") => (status === "posted" ? resolve() : statuses.push(status)));
    });
    flooder.send(flood);
    await posting;
    const beside: number[] = [];
    for (let i = 0; i < ORDERS_BESIDE; i++) {
      beside.push(await measureOrder());
      await setTimeout(ORDER_PAUSE_MS);
    }
    return {
      addressCount,
      posted: flood.requests.length,
      refused: statuses.filter((status) => status === 429 || status === 503).length,
      aloneSeconds: alone.sort((a, b) => a - b)[Math.floor(ORDERS_ALONE / 2)]!,
      besideSeconds: Math.max(...beside),
    };
  } finally {
    flooder.kill();
    await app.stop();
  }
}

/** Builds, signs and posts an order of the merchant until it is confirmed. Returns how long it takes, s. */
async function placeOrder(url: string, customer: service.Saver, reference: string): Promise<number> {
  const startedAt = performance.now();
  const headers = { "x-api-key": MERCHANT_KEY };
  const body = {
    amountUsd: 1,
    userPubkey: customer.wallet,
    serviceWalletPubkey: customer.serviceWallet.address,
    reference,
  };
  const { transaction } = await service.callApi("/api/topup", { body, headers, base: url });
  const signedTransaction = signWithKey(transaction.base64, customer.keys);
  for (;;) {
    const { confirmed } = await service.callApi("/api/swap/execute", {
      body: { signedTransaction },
      headers,
      base: url,
    });
    if (confirmed) return (performance.now() - startedAt) / 1000;
  }
}

/** Starts the process that posts the flood. */
const startFlooder = (): ChildProcess =>
  fork(fileURLToPath(new URL("flood-process.ts", import.meta.url)), { execArgv: ["--import", "tsx"] });

/** Signs different transactions of one nearly empty wallet, each of which could land alone. The addresses take turns. */
async function signFlood(url: string, rpcUrl: string, addressCount: number): Promise<Flood> {
  const flooder = service.createSaver();
  await service.fund(flooder.wallet, FLOODER_SOL, url);
  const { value } = await sandboxRpc<{ value: { blockhash: string } }>(rpcUrl, "getLatestBlockhash");
  const requests = Array.from({ length: FLOOD_SIZE }, (_, i) => {
    const instructions = [buildSystemTransfer(flooder.wallet, flooder.wallet, BigInt(i + 1))];
    const { bytes } = composeTransaction({ payer: flooder.wallet, instructions, blockhash: value.blockhash });
    const address = i % addressCount;
    const body = JSON.stringify({ signedTransaction: signWithKey(toBase64(bytes), flooder.keys) });
    const headers = {
      ...flooder.credentials,
      host: "127.0.0.1",
      connection: "close",
      "content-type": "application/json",
      "content-length": body.length,
      "x-forwarded-for": `10.66.${address >> 8}.${address & 255}`,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `POST /api/swap/execute HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
  });
  return { port: Number(new URL(url).port), requests };
}

export function checkTurns(figures: TurnsFigures[]): Check[] {
  return figures.map(({ addressCount, posted, refused, aloneSeconds, besideSeconds }) => {
    const limitSeconds = aloneSeconds + 2 / SENDS_PER_SECOND;
    return {
      name: `a merchant's order beside ${posted} transactions of ${addressCount} addresses, at ${SENDS_PER_SECOND} sends a second`,
      target: `≤ ${limitSeconds.toFixed(2)} s, ${aloneSeconds.toFixed(2)} s alone`,
      measured: `${besideSeconds.toFixed(2)} s, the longest of ${ORDERS_BESIDE}; ${refused} of the flood refused`,
      isMet: besideSeconds <= limitSeconds,
    };
  });
}
