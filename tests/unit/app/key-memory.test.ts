import nacl from "tweetnacl";
import { beforeEach, describe, expect, test } from "vitest";
import { createKeyMemory, type KeyMemory } from "../../../app/_client/wallet/key-memory";
import type { KeyPair } from "../../../lib/sdk/sign/key-pair";

let memory: KeyMemory;
let keys: KeyPair;
beforeEach(() => {
  memory = createKeyMemory();
  memory.setWallet("A");
  keys = nacl.sign.keyPair();
});

const isZeroed = ({ secretKey }: KeyPair) => secretKey.every((byte) => byte === 0);

/** Answers when the test calls `answerRequest`. */
function createSlowWallet() {
  let answerRequest = (_keys: KeyPair) => {};
  let requestCount = 0;
  const requestKey = () => {
    requestCount += 1;
    return new Promise<KeyPair>((resolve) => {
      answerRequest = resolve;
    });
  };
  return { requestKey, countRequests: () => requestCount, answerRequest: (keyPair: KeyPair) => answerRequest(keyPair) };
}

test("the page asks the wallet once while the key is stored, even for concurrent callers", async () => {
  const { requestKey, countRequests, answerRequest } = createSlowWallet();
  const requests = [memory.getOrRequestKey("A", requestKey), memory.getOrRequestKey("A", requestKey)];
  answerRequest(keys);
  expect(await Promise.all(requests)).toEqual([keys, keys]);
  expect([await memory.getOrRequestKey("A", requestKey), countRequests()]).toEqual([keys, 1]);
});

test("the page asks the wallet again after the user declined", async () => {
  await expect(memory.getOrRequestKey("A", () => Promise.reject(new Error("declined")))).rejects.toThrow("declined");
  expect(await memory.getOrRequestKey("A", async () => keys)).toBe(keys);
});

describe("a wallet that disconnects during the request", () => {
  test("leaves no key in memory", async () => {
    const { requestKey, answerRequest } = createSlowWallet();
    const pending = memory.getOrRequestKey("A", requestKey);
    memory.setWallet(null);
    answerRequest(keys);
    await expect(pending).rejects.toMatchObject({ name: "WalletDisconnectedError" });
    expect(isZeroed(keys)).toBe(true);
  });

  test("leaves no key for the next wallet", async () => {
    const firstWallet = createSlowWallet();
    const pending = memory.getOrRequestKey("A", firstWallet.requestKey);
    memory.setWallet("B");
    const nextKeys = nacl.sign.keyPair();
    expect(await memory.getOrRequestKey("B", async () => nextKeys)).toBe(nextKeys);
    firstWallet.answerRequest(keys);
    await expect(pending).rejects.toThrow("changed");
    expect(await memory.getOrRequestKey("B", () => expect.fail("The wallet was asked again."))).toBe(nextKeys);
  });
});

test("the key is zeroed when it is dropped or the wallet changes", () => {
  expect(memory.storeKey("A", keys)).toBe(true);
  memory.dropKey();
  expect(isZeroed(keys)).toBe(true);
  const laterKeys = nacl.sign.keyPair();
  memory.storeKey("A", laterKeys);
  memory.setWallet("B");
  expect([isZeroed(laterKeys), memory.storeKey("A", nacl.sign.keyPair())]).toEqual([true, false]);
});
