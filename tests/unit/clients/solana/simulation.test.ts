import { expect, test } from "vitest";
import { bindQuotaUser, SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";
import { createSolanaRpc } from "../../../../lib/clients/solana/solana-rpc";
import { createStagedNodes } from "../../../support/fakes/staged-nodes";

const HEAD = { result: { absoluteSlot: 20, blockHeight: 9 } };

/** Simulates a draft after the client has read slot 20. The node answers at these slots in turn. */
async function simulateDraftAt(err: string | null, ...slots: number[]) {
  const pool = createStagedNodes({
    a: ({ method }) => {
      if (method === "getEpochInfo") return HEAD;
      const slot = slots.length > 1 ? slots.shift() : slots[0];
      return { result: { context: { slot }, value: { err } } };
    },
  });
  const rpc = bindQuotaUser(SERVICE_ITSELF, createSolanaRpc({ nodes: pool.nodes, clock: pool.clock }));
  await rpc.readHead();
  const pending = rpc.simulate(Uint8Array.of(1), { verifySignatures: false }).catch((error) => error);
  await pool.clock.advance(2_000);
  return { outcome: await pending, callCount: pool.receivedCalls.length - 1 };
}

test("a simulation returns a draft's failure only from a node that has reached the newest known slot", async () => {
  const outcome = { error: "AccountNotFound", slot: 20 };
  expect(await simulateDraftAt("AccountNotFound", 19, 20)).toMatchObject({ outcome, callCount: 2 });
});

test("a draft's simulation fails as upstream_unavailable if no node has reached the newest known slot", async () => {
  const outcome = { code: "upstream_unavailable" };
  expect(await simulateDraftAt("AccountNotFound", 19)).toMatchObject({ outcome, callCount: 3 });
});

test("a simulation returns a draft's success from any node at once, also without consumed units", async () => {
  const outcome = { error: null, unitsConsumed: null, feeLamports: null, slot: 19 };
  expect(await simulateDraftAt(null, 19)).toEqual({ outcome, callCount: 1 });
});
