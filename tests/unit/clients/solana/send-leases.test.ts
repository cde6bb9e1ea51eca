import { expect, test } from "vitest";
import { systemRandom } from "../../../../lib/clients/process/system";
import { SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";
import { createSolanaRpc } from "../../../../lib/clients/solana/solana-rpc";
import { AppError } from "../../../../lib/errors";
import type { KvStore } from "../../../../lib/ports/kv-store";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { createMemoryStore } from "../../../support/store/memory-store";

const TRANSACTION = new Uint8Array(200).fill(1);

/** Opens instances that share a store. Each counts its sends and can be made to fail. */
function openInstances(changeStore: (kv: KvStore) => KvStore = (kv) => kv) {
  const clock = createManualClock();
  const kv = changeStore(createMemoryStore(clock));
  const createInstance = () => {
    const instance = { sendCount: 0, isFailing: false, send: (bytes: Uint8Array) => rpc.send(SERVICE_ITSELF, bytes) };
    const send = async () => {
      instance.sendCount++;
      if (instance.isFailing) throw new AppError("upstream_unavailable");
    };
    const nodes = {
      send,
      rpc: {} as never,
      getNewestSlot: () => 0,
      getSlotMs: () => 200,
      estimateSendMs: () => 0,
      hasSendLimit: false,
    };
    const rpc = createSolanaRpc({ nodes, clock, shared: { kv, random: systemRandom } });
    return instance;
  };
  return { clock, firstInstance: createInstance(), secondInstance: createInstance() };
}

test("another instance sends 5 s after the last send of an instance that died", async () => {
  const { clock, firstInstance, secondInstance } = openInstances();
  await firstInstance.send(TRANSACTION);
  await clock.advance(4_999);
  await secondInstance.send(TRANSACTION);
  expect(secondInstance.sendCount).toBe(0);
  await clock.advance(1);
  await secondInstance.send(TRANSACTION);
  await firstInstance.send(TRANSACTION);
  expect([firstInstance.sendCount, secondInstance.sendCount]).toEqual([1, 1]);
});

test("after an instance's send has failed, another instance sends", async () => {
  const { firstInstance, secondInstance } = openInstances();
  firstInstance.isFailing = true;
  await expect(firstInstance.send(TRANSACTION)).rejects.toMatchObject({ code: "upstream_unavailable" });
  await secondInstance.send(TRANSACTION);
  expect(secondInstance.sendCount).toBe(1);
});

test("while the store fails, every instance sends", async () => {
  const failCall = () => Promise.reject(new AppError("upstream_timeout"));
  const failingCalls = { setIfAbsent: failCall, replace: failCall };
  const { firstInstance, secondInstance } = openInstances((kv) => ({ ...kv, ...failingCalls }));
  await firstInstance.send(TRANSACTION);
  await secondInstance.send(TRANSACTION);
  expect([firstInstance.sendCount, secondInstance.sendCount]).toEqual([1, 1]);
});
