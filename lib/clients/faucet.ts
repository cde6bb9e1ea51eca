import { z } from "zod";
import type { Faucet } from "../ports";
import { createJsonRpc, type JsonRpcOptions } from "./json-rpc";

/** The sandbox chain's own tap. */
export function createFaucet(options: JsonRpcOptions): Faucet {
  const rpc = createJsonRpc(options);
  return {
    async airdrop(address, lamports) {
      const params = [address, Number(lamports)];
      return { txSignature: await rpc.call("requestAirdrop", params, z.string().max(100), { maxBytes: 65_536 }) };
    },
  };
}
