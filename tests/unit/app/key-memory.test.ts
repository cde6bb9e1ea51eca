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

/** Creates a wallet that answers when the test calls `answer`. It counts the requests. */
function createWallet() {
  let answer = (_keys: KeyPair) => {};
  let requestCount = 0;
  const open = () => {
    requestCount += 1;
    return new Promise<KeyPair>((resolve) => {
      answer = resolve;
    });
  };
  return { open, countRequests: () => requestCount, answer: (keyPair: KeyPair) => answer(keyPair) };
}

test("the page asks the wallet once while the key is stored, even for concurrent callers", async () => {
  const { open, countRequests, answer } = createWallet();
  const requests = [memory.getOrRequestKey("A", open), memory.getOrRequestKey("A", open)];
  answer(keys);
  expect(await Promise.all(requests)).toEqual([keys, keys]);
  expect([await memory.getOrRequestKey("A", open), countRequests()]).toEqual([keys, 1]);
});

test("the page asks the wallet again after the user declined", async () => {
  await expect(memory.getOrRequestKey("A", () => Promise.reject(new Error("declined")))).rejects.toThrow("declined");
  expect(await memory.getOrRequestKey("A", async () => keys)).toBe(keys);
});

describe("a wallet that disconnects during the request", () => {
  test("leaves no key in memory", async () => {
    const { open, answer } = createWallet();
    const pending = memory.getOrRequestKey("A", open);
    memory.setWallet(null);
    answer(keys);
    await expect(pending).rejects.toMatchObject({ name: "WalletDisconnectedError" });
    expect(isZeroed(keys)).toBe(true);
  });

  test("leaves no key for the next wallet", async () => {
    const first = createWallet();
    const pending = memory.getOrRequestKey("A", first.open);
    memory.setWallet("B");
    const nextKeys = nacl.sign.keyPair();
    expect(await memory.getOrRequestKey("B", async () => nextKeys)).toBe(nextKeys);
    first.answer(keys);
    await expect(pending).rejects.toThrow("changed");
    expect(await memory.getOrRequestKey("B", () => expect.fail("The wallet was asked again."))).toBe(nextKeys);
  });
});

test("zeroes the key when it is dropped or the wallet changes", () => {
  expect(memory.storeKey("A", keys)).toBe(true);
  memory.dropKey();
  expect(isZeroed(keys)).toBe(true);
  const laterKeys = nacl.sign.keyPair();
  memory.storeKey("A", laterKeys);
  memory.setWallet("B");
  expect([isZeroed(laterKeys), memory.storeKey("A", nacl.sign.keyPair())]).toEqual([true, false]);
});
