import { Keypair } from "@solana/web3.js";
import { beforeEach, describe, expect, test } from "vitest";
import type { LocalChain } from "../../../../lib/sandbox/chain/chain";
import { createFaults } from "../../../../lib/sandbox/rpc/faults";
import type { NodeFaults } from "../../../../lib/sandbox/rpc/pool";
import { answerRpc, LOST_ANSWER } from "../../../../lib/sandbox/rpc/rpc";
import {
  addressOf,
  fundKeypair,
  NO_PRICES,
  openStoppedChain,
  payment,
  SOL,
  sign,
} from "../../../support/chain/sandbox-rig";

let chain: LocalChain;
let from: Keypair;
let faults: ReturnType<typeof createFaults>;
const to = addressOf(Keypair.generate());

beforeEach(() => {
  ({ chain } = openStoppedChain());
  from = fundKeypair(chain);
  chain.advanceSlots(100);
  faults = createFaults();
});

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function ask(method: string, ...params: unknown[]): Promise<any> {
  const context = { chain, faults, info: () => null, ...NO_PRICES };
  const answer = await answerRpc(context, { jsonrpc: "2.0", id: 1, method, params }, (error) =>
    expect.unreachable(String(error)),
  );
  return answer === LOST_ANSWER ? LOST_ANSWER : (answer as { result: unknown }).result;
}

const stage = (...nodes: Partial<NodeFaults>[]) => ask("sandbox_setPool", { seed: 1, nodes });

function transfer(lamports = SOL): { raw: Uint8Array; base64: string } {
  const { blockhash } = chain.getLatestBlockhash();
  const raw = sign(blockhash, [from], [payment(from, to, lamports)]).serialize();
  return { raw, base64: Buffer.from(raw).toString("base64") };
}

const post = (base64: string) => ask("sendTransaction", base64, { encoding: "base64", skipPreflight: true });
const readStatus = async (signature: string, searchTransactionHistory = true) =>
  (await ask("getSignatureStatuses", [signature], { searchTransactionHistory })).value[0];

describe("a lagging node", () => {
  test("answers everything from its own moment: slot, height, blockhash, status, balance, simulation", async () => {
    await stage({ lagSlots: 20 });
    const slot = chain.getSlot() - 20;
    expect(await ask("getSlot")).toBe(slot);
    expect(await ask("getEpochInfo")).toMatchObject({ absoluteSlot: slot, blockHeight: chain.getBlockHeight() - 20 });
    const { context, value } = await ask("getLatestBlockhash");
    expect([context.slot, value.lastValidBlockHeight]).toEqual([slot, chain.getBlockHeight() - 20 + 150]);
    expect((await ask("isBlockhashValid", value.blockhash)).value).toBe(true);
    expect((await ask("isBlockhashValid", chain.getLatestBlockhash().blockhash)).value).toBe(false);

    const { base64 } = transfer();
    const simulate = async () => (await ask("simulateTransaction", base64, { encoding: "base64" })).value.err;
    expect(await simulate()).toBe("BlockhashNotFound");
    const signature = await post(base64);
    expect(await readStatus(signature)).toBeNull();
    expect((await ask("getBalance", to)).value).toBe(0);
    expect((await ask("getBalance", addressOf(from))).value).toBe(10 * Number(SOL));
    chain.advanceSlots(20);
    expect(await readStatus(signature)).toMatchObject({ err: null, confirmationStatus: "processed" });
    expect((await ask("getBalance", to)).value).toBe(Number(SOL));
    expect(await simulate()).toBe("AlreadyProcessed");
    // Reading the past must not change the newest state.
    expect(chain.getAccount(to)!.lamports).toBe(SOL);
  });

  test("simulates with the balances at the time of the call", async () => {
    await stage({ lagSlots: 20 });
    const { blockhash } = chain.getLatestBlockhash();
    chain.advanceSlots(30);
    const spend = sign(blockhash, [from], [payment(from, to, 6n * SOL)]).serialize();
    const again = Buffer.from(sign(blockhash, [from], [payment(from, to, 7n * SOL)]).serialize()).toString("base64");
    chain.send(spend);
    const simulate = async () => (await ask("simulateTransaction", again, { encoding: "base64" })).value.err;
    expect(await simulate()).toBeNull();
    chain.advanceSlots(20);
    expect(await simulate()).not.toBeNull();
  });

  test("may accept a blockhash that has expired on the chain", async () => {
    await stage({ lagSlots: 50 });
    const { blockhash } = chain.getLatestBlockhash();
    chain.advanceSlots(180);
    expect(chain.isBlockhashValid(blockhash)).toBe(false);
    expect((await ask("isBlockhashValid", blockhash)).value).toBe(true);
  });
});

describe("other faults", () => {
  test("return the slot as the height", async () => {
    await stage({ heightIsSlot: true });
    expect(await ask("getBlockHeight")).toBe(chain.getSlot());
    expect((await ask("getEpochInfo")).blockHeight).toBe(chain.getSlot());
  });

  test("deny fresh blockhashes", async () => {
    await stage({ freshUnknownSlots: 10 });
    const { blockhash } = chain.getLatestBlockhash();
    const isValid = async () => (await ask("isBlockhashValid", blockhash)).value;
    expect(await isValid()).toBe(false);
    chain.advanceSlots(10);
    expect(await isValid()).toBe(true);
    chain.advanceSlots(141);
    expect(await isValid()).toBe(false);
  });

  test("deny recent statuses, with and without the history, until they are rooted", async () => {
    await stage({ forgetsRecent: true });
    const signature = await post(transfer().base64);
    chain.advanceSlots(31);
    expect([await readStatus(signature), await readStatus(signature, false)]).toEqual([null, null]);
    chain.advanceSlots(1);
    expect(await readStatus(signature)).toMatchObject({ confirmationStatus: "finalized" });
  });

  test("lose sent transactions", async () => {
    await stage({ dropPercent: 100 });
    expect(await post(transfer().base64)).toEqual(expect.any(String));
    expect(chain.getAccount(to)).toBeNull();
  });

  test("delay sent transactions, which land if their blockhash is still valid", async () => {
    for (const [delaySlots, arrives] of [[140, true] as const, [160, false] as const]) {
      await stage({ delaySlots });
      const signature = await post(transfer(SOL / BigInt(delaySlots)).base64);
      chain.advanceSlots(delaySlots - 1);
      expect(await readStatus(signature)).toBeNull();
      chain.advanceSlots(1);
      expect((await readStatus(signature)) !== null).toBe(arrives);
    }
  });

  test("lose the answer to a send whose transaction has landed", async () => {
    await stage({ loseAnswerPercent: 100 });
    expect(await post(transfer().base64)).toBe(LOST_ANSWER);
    expect(chain.getAccount(to)!.lamports).toBe(SOL);
    expect(await ask("getSlot")).toBe(chain.getSlot());
  });
});

test("the same seed repeats the same faults", async () => {
  const slots = async (seed: number) => {
    await ask("sandbox_setPool", { seed, nodes: [{ lagSlots: 0 }, { lagSlots: 5 }, { lagSlots: 9 }] });
    const heights: number[] = [];
    for (let i = 0; i < 30; i++) heights.push(chain.getSlot() - (await ask("getSlot")));
    return heights;
  };
  expect(await slots(7)).toEqual(await slots(7));
  expect(await slots(7)).not.toEqual(await slots(8));
  expect(new Set(await slots(7))).toEqual(new Set([0, 5, 9]));
  expect(await ask("sandbox_advanceSlots", 1)).toBe(chain.getSlot());
  expect(await ask("sandbox_setPool", null)).toBe(false);
  expect(await ask("getSlot")).toBe(chain.getSlot());
});

test.each([
  [{ nodes: [] }],
  [{ nodes: [{ lagSlots: 151 }] }],
  [{ nodes: [{ dropPercent: 101 }] }],
  [{ nodes: [{ heightIsSlot: 1 }] }],
  [{ seed: -1, nodes: [{}] }],
  ["bad"],
])("refuses %j", async (parameters) => {
  expect(await ask("sandbox_setPool", parameters)).toBeUndefined();
  expect(faults.pool).toBeNull();
});
