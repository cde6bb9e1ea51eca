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

/** A wallet that answers when the test tells it to. */
function asking() {
  let answer = (_keys: KeyPair) => {};
  let asked = 0;
  const open = () => {
    asked += 1;
    return new Promise<KeyPair>((resolve) => {
      answer = resolve;
    });
  };
  return { open, asked: () => asked, answer: (keyPair: KeyPair) => answer(keyPair) };
}

test("asks the wallet once for concurrent callers and not again while the key is stored", async () => {
  const { open, asked, answer } = asking();
  const both = [memory.getOrRequestKey("A", open), memory.getOrRequestKey("A", open)];
  answer(keys);
  expect(await Promise.all(both)).toEqual([keys, keys]);
  expect([await memory.getOrRequestKey("A", open), asked()]).toEqual([keys, 1]);
});

test("asks the wallet again after the user declined", async () => {
  await expect(memory.getOrRequestKey("A", () => Promise.reject(new Error("declined")))).rejects.toThrow("declined");
  expect(await memory.getOrRequestKey("A", async () => keys)).toBe(keys);
});

describe("a wallet that disconnects during the request", () => {
  test("leaves no key in memory", async () => {
    const { open, answer } = asking();
    const pending = memory.getOrRequestKey("A", open);
    memory.setWallet(null);
    answer(keys);
    await expect(pending).rejects.toMatchObject({ name: "WalletDisconnectedError" });
    expect(isZeroed(keys)).toBe(true);
  });

  test("leaves no key for the next wallet, which is asked separately", async () => {
    const first = asking();
    const pending = memory.getOrRequestKey("A", first.open);
    memory.setWallet("B");
    const own = nacl.sign.keyPair();
    expect(await memory.getOrRequestKey("B", async () => own)).toBe(own);
    first.answer(keys);
    await expect(pending).rejects.toThrow("changed");
    expect(await memory.getOrRequestKey("B", () => expect.fail("asked"))).toBe(own);
  });
});

test("zeroes the key when it is dropped and when the wallet changes", () => {
  expect(memory.storeKey("A", keys)).toBe(true);
  memory.dropKey();
  expect(isZeroed(keys)).toBe(true);
  const more = nacl.sign.keyPair();
  memory.storeKey("A", more);
  memory.setWallet("B");
  expect([isZeroed(more), memory.storeKey("A", nacl.sign.keyPair())]).toEqual([true, false]);
});
