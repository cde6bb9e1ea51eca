import { homedir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { expandHome } from "../domain/home-path";
import { DEFAULT_SLOT_MS } from "./chain/slot-clock";
import { FEE_MODELS, type FeeModel, isFeeModel } from "./chain/types";

export const HELP = `Runs a local Solana chain with a swap market on 127.0.0.1.

  --data-dir <dir>       the folder for its state (default .data/sandbox/chain)
  --port <port>          port of the RPC; the websocket uses the next one (default 8899; if it is taken, two free
                         ports are used; 0 means any)
  --exact-port           fail when the port is taken
  --prices <fixed|walk>  fixed prices, or prices that move and have a history (default walk)
  --fees <model>         flat: 5,000 lamports a signature (default); resource-10, resource-4, resource-2: the steps of
                         SIMD-0553, which also charge 1/10, 1/4 or 1/2 lamport for each requested cost unit
  --slot-ms <ms>         length of a slot, 50 to 2000 (default 200)
`;

export interface SandboxCommandOptions {
  dataDir: string;
  port: number;
  requiresExactPort: boolean;
  prices: "fixed" | "walk";
  fees: FeeModel;
  slotMs: number;
}

/** The shortest and the longest slot, ms. */
const SLOT_MS_RANGE = { min: 50, max: 2_000 };

/** Returns the websocket's address. web3.js expects it one port above the RPC. */
export function toWebsocketUrl(rpcUrl: string): string {
  const { hostname, port } = new URL(rpcUrl);
  return `ws://${hostname}:${Number(port) + 1}`;
}

/**
 * Reads the command line.
 * @returns null when it asks for help
 * @throws {Error} with a sentence about an invalid option
 */
export function readOptions(args: string[]): SandboxCommandOptions | null {
  const { values } = parseArgs({
    args,
    options: {
      "data-dir": { type: "string", default: ".data/sandbox/chain" },
      port: { type: "string", default: "8899" },
      "exact-port": { type: "boolean", default: false },
      prices: { type: "string", default: "walk" },
      fees: { type: "string", default: "flat" },
      "slot-ms": { type: "string", default: String(DEFAULT_SLOT_MS) },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_534) throw new Error("--port must be a number from 0 to 65534");
  if (values.prices !== "fixed" && values.prices !== "walk") throw new Error("--prices must be fixed or walk");
  if (!isFeeModel(values.fees)) throw new Error(`--fees must be one of ${FEE_MODELS.join(", ")}`);
  const { min, max } = SLOT_MS_RANGE;
  const slotMs = Number(values["slot-ms"]);
  if (!/^\d+$/.test(values["slot-ms"]) || slotMs < min || slotMs > max)
    throw new Error(`--slot-ms must be a number from ${min} to ${max}`);
  const dataDir = resolve(expandHome(values["data-dir"], homedir()));
  const { prices, fees, "exact-port": requiresExactPort } = values;
  return { dataDir, port, requiresExactPort, prices, fees, slotMs };
}
