import { Keypair } from "@solana/web3.js";
import { beforeEach, expect, test } from "vitest";
import { signTransfers } from "../../../lib/operator/chain";
import { sendAndConfirm } from "../../../lib/operator/send";
import { DEFAULT_SLOT_MS } from "../../../lib/sandbox/chain/slot-clock";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { createOperatorRig } from "../../support/chain/operator-rig";
import { ONE_SOL, toAddress } from "../../support/chain/sandbox-rig";
import { EMPTY_RENT_LAMPORTS } from "../../support/fixtures/rent";

const payer = Keypair.generate();
let rig: ReturnType<typeof createOperatorRig>;
beforeEach(() => {
  rig = createOperatorRig();
  rig.setLamports(toAddress(payer), ONE_SOL);
});

/** Sends a transfer of 0.5 SOL. @param stage runs between the signature and the sending */
async function send(stage: () => void) {
  const transfer = buildSystemTransfer(toAddress(payer), rig.treasury, ONE_SOL / 2n);
  const signedTransfers = await signTransfers(rig.session.chain, [payer], [transfer]);
  stage();
  const startedAt = rig.clock.now();
  const outcome = await sendAndConfirm(rig.session.chain, signedTransfers, rig.clock);
  return { outcome, elapsedMs: rig.clock.now() - startedAt };
}

test("reports a transaction as expired once its own blockhash has expired, not earlier", async () => {
  const { outcome, elapsedMs } = await send(() => {
    rig.faults.sendTransaction = () => null;
  });
  expect(outcome.state).toBe("expired");
  // The margin of 32 blocks makes the expiry certain.
  expect(elapsedMs).toBeGreaterThan((150 + 32) * DEFAULT_SLOT_MS);
  expect(elapsedMs).toBeLessThan(80_000);
});

test("reports a transaction as landed if only the node's history knows it", async () => {
  const { outcome } = await send(() => {
    rig.faults.getSignatureStatuses = ([, config]) =>
      (config as { searchTransactionHistory: boolean }).searchTransactionHistory
        ? undefined
        : { context: { slot: rig.chain.getSlot() }, value: [null] };
  });
  expect(outcome.state).toBe("landed");
});

test("reports an unknown outcome after a bounded time if the node stops answering", async () => {
  const { outcome, elapsedMs } = await send(() => {
    for (const method of ["sendTransaction", "getSignatureStatuses", "getEpochInfo"]) rig.faults[method] = () => null;
  });
  expect(outcome.state).toBe("unknown");
  expect(elapsedMs).toBeLessThan(155_000);
});

test("does not send a transaction that the simulation refuses", async () => {
  const transactionCount = rig.chain.countTransactions();
  const { outcome } = await send(() => rig.setLamports(toAddress(payer), 0n));
  expect(outcome).toEqual({ state: "refused", error: JSON.stringify("AccountNotFound") });
  expect(rig.chain.countTransactions()).toBe(transactionCount);
});

test("reports a failure on the chain with the runtime's error", async () => {
  const { outcome } = await send(() => {
    rig.faults.sendTransaction = () => {
      rig.setLamports(toAddress(payer), EMPTY_RENT_LAMPORTS + 5_000n);
    };
  });
  expect(outcome).toMatchObject({ state: "failed", error: JSON.stringify({ InstructionError: [1, { Custom: 1 }] }) });
});
