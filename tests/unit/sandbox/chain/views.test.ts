import type { Keypair } from "@solana/web3.js";
import { beforeEach, describe, expect, test } from "vitest";
import type { LocalChain } from "../../../../lib/sandbox/chain/chain";
import { answerFromPool, createPool, type NodeFaults, type NodePool } from "../../../support/chain/pool";
import {
  buildPayment,
  buildSignedBytes,
  createAddress,
  fundKeypair,
  ONE_SOL,
  openStoppedChain,
  toAddress,
  UNUSED_METHODS,
} from "../../../support/chain/sandbox-rig";

let chain: LocalChain;
let from: Keypair;
let pool: NodePool;
const to = createAddress();

beforeEach(() => {
  ({ chain } = openStoppedChain());
  from = fundKeypair(chain);
  chain.advanceSlots(100);
});

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function callRpc(method: string, ...params: unknown[]): Promise<any> {
  const call = { jsonrpc: "2.0", id: 1, method, params };
  return ((await answerFromPool({ chain, ...UNUSED_METHODS }, pool, call)) as { result: unknown }).result;
}

const setPool = (...nodes: Partial<NodeFaults>[]) => {
  pool = createPool(chain, 1, nodes);
};

function buildTransfer(lamports = ONE_SOL): { signedBytes: Uint8Array; base64: string } {
  const signedBytes = buildSignedBytes(chain, from, buildPayment(from, to, lamports));
  return { signedBytes, base64: Buffer.from(signedBytes).toString("base64") };
}

const sendTransaction = (base64: string) =>
  callRpc("sendTransaction", base64, { encoding: "base64", skipPreflight: true });
const simulateTransaction = async (base64: string) =>
  (await callRpc("simulateTransaction", base64, { encoding: "base64" })).value.err;
const readStatus = async (signature: string, searchTransactionHistory = true) =>
  (await callRpc("getSignatureStatuses", [signature], { searchTransactionHistory })).value[0];

describe("a lagging node", () => {
  test("answers with the state of the slot that it names", async () => {
    setPool({ lagSlots: 20 });
    const slot = chain.getSlot() - 20;
    expect(await callRpc("getSlot")).toBe(slot);
    expect(await callRpc("getEpochInfo")).toMatchObject({
      absoluteSlot: slot,
      blockHeight: chain.getBlockHeight() - 20,
    });
    const { context, value } = await callRpc("getLatestBlockhash");
    expect([context.slot, value.lastValidBlockHeight]).toEqual([slot, chain.getBlockHeight() - 20 + 150]);
    expect((await callRpc("isBlockhashValid", value.blockhash)).value).toBe(true);
    expect((await callRpc("isBlockhashValid", chain.getLatestBlockhash().blockhash)).value).toBe(false);

    const { base64 } = buildTransfer();
    expect(await simulateTransaction(base64)).toBe("BlockhashNotFound");
    const signature = await sendTransaction(base64);
    expect(await readStatus(signature)).toBeNull();
    expect((await callRpc("getBalance", to)).value).toBe(0);
    expect((await callRpc("getBalance", toAddress(from))).value).toBe(10 * Number(ONE_SOL));
    chain.advanceSlots(20);
    expect(await readStatus(signature)).toMatchObject({ err: null, confirmationStatus: "processed" });
    expect((await callRpc("getBalance", to)).value).toBe(Number(ONE_SOL));
    expect(await simulateTransaction(base64)).toBe("AlreadyProcessed");
    // A read of an earlier state must not change the newest state.
    expect(chain.getAccount(to)!.lamports).toBe(ONE_SOL);
  });

  test("simulates with the balances of the slot that it names", async () => {
    setPool({ lagSlots: 20 });
    const [firstSpend, secondSpend] = [buildTransfer(6n * ONE_SOL), buildTransfer(7n * ONE_SOL)];
    chain.advanceSlots(30);
    chain.send(firstSpend.signedBytes);
    expect(await simulateTransaction(secondSpend.base64)).toBeNull();
    chain.advanceSlots(20);
    expect(await simulateTransaction(secondSpend.base64)).not.toBeNull();
  });

  test("may accept a blockhash that has expired on the chain", async () => {
    setPool({ lagSlots: 50 });
    const { blockhash } = chain.getLatestBlockhash();
    chain.advanceSlots(180);
    expect(chain.isBlockhashValid(blockhash)).toBe(false);
    expect((await callRpc("isBlockhashValid", blockhash)).value).toBe(true);
  });
});
