import { Keypair } from "@solana/web3.js";
import { beforeEach, describe, expect, test } from "vitest";
import type { LocalChain } from "../../../../lib/sandbox/chain/chain";
import { answerFromPool, createPool, LOST_ANSWER, type NodeFaults, type NodePool } from "../../../support/chain/pool";
import {
  buildPayment,
  buildSignedBytes,
  fundKeypair,
  ONE_SOL,
  openStoppedChain,
  toAddress,
  UNUSED_METHODS,
} from "../../../support/chain/sandbox-rig";

let chain: LocalChain;
let from: Keypair;
let pool: NodePool;
const to = toAddress(Keypair.generate());

beforeEach(() => {
  ({ chain } = openStoppedChain());
  from = fundKeypair(chain);
  chain.advanceSlots(100);
});

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function callRpc(method: string, ...params: unknown[]): Promise<any> {
  const answer = await answerFromPool({ chain, ...UNUSED_METHODS }, pool, createCall(method, params));
  return answer === LOST_ANSWER ? LOST_ANSWER : (answer as { result: unknown }).result;
}

const createCall = (method: string, params: unknown[]) => ({ jsonrpc: "2.0", id: 1, method, params });
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

describe("a faulty node of the pool, which the tests use", () => {
  test("returns the slot as the height", async () => {
    setPool({ heightIsSlot: true });
    expect(await callRpc("getBlockHeight")).toBe(chain.getSlot());
    expect((await callRpc("getEpochInfo")).blockHeight).toBe(chain.getSlot());
  });

  test("denies fresh blockhashes", async () => {
    setPool({ freshUnknownSlots: 10 });
    const { blockhash } = chain.getLatestBlockhash();
    const isValid = async () => (await callRpc("isBlockhashValid", blockhash)).value;
    expect(await isValid()).toBe(false);
    chain.advanceSlots(10);
    expect(await isValid()).toBe(true);
    chain.advanceSlots(141);
    expect(await isValid()).toBe(false);
  });

  test("denies recent statuses, with and without the history, until they are finalized", async () => {
    setPool({ forgetsRecent: true });
    const signature = await sendTransaction(buildTransfer().base64);
    chain.advanceSlots(31);
    expect([await readStatus(signature), await readStatus(signature, false)]).toEqual([null, null]);
    chain.advanceSlots(1);
    expect(await readStatus(signature)).toMatchObject({ confirmationStatus: "finalized" });
  });

  test("loses sent transactions", async () => {
    setPool({ dropPercent: 100 });
    expect(await sendTransaction(buildTransfer().base64)).toEqual(expect.any(String));
    expect(chain.getAccount(to)).toBeNull();
  });

  test("delays sent transactions, which land if their blockhash is still valid", async () => {
    for (const [delaySlots, hasLanded] of [[140, true] as const, [160, false] as const]) {
      setPool({ delaySlots });
      const signature = await sendTransaction(buildTransfer(ONE_SOL / BigInt(delaySlots)).base64);
      chain.advanceSlots(delaySlots - 1);
      expect(await readStatus(signature)).toBeNull();
      chain.advanceSlots(1);
      expect((await readStatus(signature)) !== null).toBe(hasLanded);
    }
  });

  test("loses the answer to a send whose transaction has landed", async () => {
    setPool({ loseAnswerPercent: 100 });
    expect(await sendTransaction(buildTransfer().base64)).toBe(LOST_ANSWER);
    expect(chain.getAccount(to)!.lamports).toBe(ONE_SOL);
    expect(await callRpc("getSlot")).toBe(chain.getSlot());
  });
});

test("a pool with the same seed chooses the same nodes again", async () => {
  const listLags = async (seed: number) => {
    pool = createPool(chain, seed, [{ lagSlots: 0 }, { lagSlots: 5 }, { lagSlots: 9 }]);
    const lags: number[] = [];
    for (let i = 0; i < 30; i++) lags.push(chain.getSlot() - (await callRpc("getSlot")));
    return lags;
  };
  expect(await listLags(7)).toEqual(await listLags(7));
  expect(await listLags(7)).not.toEqual(await listLags(8));
  expect(new Set(await listLags(7))).toEqual(new Set([0, 5, 9]));
});
