import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import { describe, expect, test } from "vitest";
import { answerRpc, encodeJson } from "../../../../lib/sandbox/rpc/answer-rpc";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import {
  buildPayment,
  buildSignedBytes,
  createAddress,
  createMint,
  fundKeypair,
  ONE_SOL,
  openStoppedChain,
  putTokens,
  throwError,
  UNUSED_METHODS,
} from "../../../support/chain/sandbox-rig";

/** Opens a stopped chain and calls its JSON-RPC. */
function openRig() {
  const { chain, clock } = openStoppedChain();
  const context = { chain, ...UNUSED_METHODS };
  const readAnswer = (method: string, params: unknown[]) =>
    answerRpc(context, { jsonrpc: "2.0", id: 1, method, params }, throwError);
  const callRpc = async (method: string, ...params: unknown[]) =>
    (await readAnswer(method, params)) as unknown as { result: never; error: { code: number; message: string } };
  const read = async (method: string, ...params: unknown[]): Promise<never> =>
    (await callRpc(method, ...params)).result;
  return { chain, clock, callRpc, read, readAnswer };
}

describe("blocks", () => {
  test("hold the transactions of their slot, in full, as signatures or not at all", async () => {
    const { chain, clock, read, callRpc } = openRig();
    const from = fundKeypair(chain);
    chain.advanceSlots(1);
    const slot = chain.getSlot();
    const blockTime = Math.floor(clock.nowMs / 1000);
    const { blockhash } = chain.getLatestBlockhash();
    const signatures = [1n, 2n].map((count) =>
      chain.send(buildSignedBytes(chain, from, buildPayment(from, createAddress(), count * ONE_SOL))),
    );
    const config = { commitment: "confirmed", maxSupportedTransactionVersion: 0 };
    expect((await callRpc("getBlock", slot, config)).error).toEqual({
      code: -32004,
      message: `Block not available for slot ${slot}`,
    });
    chain.advanceSlots(1);
    const { blockhash: nextBlockhash } = chain.getLatestBlockhash();
    const head = { blockhash, parentSlot: slot - 1, blockTime, blockHeight: chain.getBlockHeight() - 1, rewards: [] };
    const full = await read("getBlock", slot, config);
    const entry = { version: 0, meta: { err: null, fee: 5_000 } };
    expect(full).toMatchObject({ ...head, transactions: [entry, entry] });
    const encoded = await read("getBlock", slot, { ...config, encoding: "base64" });
    expect(encoded).toMatchObject({ transactions: [{ transaction: [expect.any(String), "base64"] }, {}] });
    expect(await read("getBlock", slot, { ...config, transactionDetails: "signatures" })).toEqual({
      ...head,
      previousBlockhash: expect.any(String),
      signatures,
    });
    expect(await read("getBlock", slot, { ...config, transactionDetails: "none" })).not.toHaveProperty("signatures");
    chain.advanceSlots(1);
    const emptyBlock = { blockhash: nextBlockhash, previousBlockhash: blockhash, parentSlot: slot, transactions: [] };
    expect(await read("getBlock", slot + 1, config)).toMatchObject(emptyBlock);
    expect((await callRpc("getBlock", slot, { commitment: "confirmed" })).error.code).toBe(-32015);
    expect((await callRpc("getBlock", slot)).error.code).toBe(-32004);
    expect((await callRpc("getBlock", 5)).error.code).toBe(-32001);
    expect((await callRpc("getBlock", slot, { ...config, transactionDetails: "accounts" })).error.code).toBe(-32602);
  });
});

describe("accounts of a program", () => {
  test("are listed, filtered by size and bytes, and sliced", async () => {
    const { chain, read, callRpc } = openRig();
    const authority = Keypair.generate();
    const mint = createMint(chain, authority, 6, TOKEN_PROGRAM);
    const [owner, other] = [createAddress(), createAddress()];
    putTokens(chain, owner, mint, 5n);
    putTokens(chain, other, mint, 6n);
    const byOwner = { memcmp: { offset: 32, bytes: owner } };
    const filters = [{ dataSize: 165 }, byOwner];
    const amount = { offset: 64, length: 1 };
    const config = { encoding: "base64", filters, dataSlice: amount };
    const entry = { pubkey: chain.listTokenAccounts(owner)[0], account: { data: ["BQ==", "base64"], space: 165 } };
    expect(await read("getProgramAccounts", TOKEN_PROGRAM, config)).toMatchObject([entry]);
    const base64Filter = {
      memcmp: { offset: 32, bytes: Buffer.from(bs58.decode(owner)).toString("base64"), encoding: "base64" },
    };
    const withContext = await read("getProgramAccounts", TOKEN_PROGRAM, {
      ...config,
      filters: [base64Filter],
      withContext: true,
    });
    expect(withContext).toMatchObject({ context: { slot: chain.getSlot() }, value: [entry] });
    expect(await read("getProgramAccounts", TOKEN_PROGRAM, { ...config, filters: [{ dataSize: 165 }] })).toHaveLength(
      2,
    );
    for (const wrongFilters of [
      "x",
      [7],
      [{}],
      Array(5).fill({ dataSize: 1 }),
      [{ memcmp: { offset: 0, bytes: "0" } }],
    ])
      expect((await callRpc("getProgramAccounts", TOKEN_PROGRAM, { filters: wrongFilters })).error.code).toBe(-32602);
  });
});

test("the rent epoch of an account has all digits of 2^64 - 1", async () => {
  const { chain, readAnswer } = openRig();
  const address = createAddress();
  chain.setAccount(address, { lamports: ONE_SOL, owner: SYSTEM_PROGRAM, data: new Uint8Array() });
  const text = encodeJson(await readAnswer("getAccountInfo", [address, { encoding: "base64" }]));
  expect(text).toContain('"rentEpoch":18446744073709551615,');
  const string = 'a memo with "rentEpoch":18446744073709552000';
  expect(JSON.parse(encodeJson(string))).toBe(string);
});
