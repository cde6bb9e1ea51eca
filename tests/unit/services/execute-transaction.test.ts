import { beforeEach, describe, expect, test } from "vitest";
import { executeTransactionContract } from "../../../lib/contracts/execute-transaction";
import { AppError } from "../../../lib/errors";
import type { Json } from "../../../lib/ports/json";
import { executeTransaction } from "../../../lib/services/execute-transaction";
import { readRelayRecords } from "../../../lib/services/records/landings";
import { wasRefused } from "../../../lib/services/records/message-records";
import { toBase64 } from "../../../lib/solana/bytes";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction, decodeTransaction } from "../../../lib/solana/transactions";
import { parseInput } from "../../support/client/contract-input";
import {
  createBlockhash,
  createConfirmedState,
  createSimulation,
  type FakeDeps,
  failCalls,
  listArguments,
  listCalls,
  listSends,
  runFor,
  setPrices,
} from "../../support/fakes/fake-deps";
import { signTransaction, toTestWallet } from "../../support/fixtures/test-wallets";
import {
  buildPayment,
  buildTransaction,
  LONG_MS,
  landAfterSends,
  postSigned,
  readSignature,
  signWrap,
  stageWrap,
  startPosting,
  stranger,
  user,
} from "../../support/worlds/relay-rig";

/** The first instruction fails with the System program's error 1: insufficient funds. */
const INSUFFICIENT_FUNDS = { InstructionError: [0, { Custom: 1 }] };

let deps: FakeDeps;
/** A signed wrap that this service built. */
let wrap: Uint8Array;
let serviceWallet: string;
beforeEach(async () => {
  ({ deps, wrap, serviceWallet } = await stageWrap());
});

/** Returns whether the service still wants the node to send the first queued bytes. */
const isFirstSendWanted = () => (listArguments(deps, "send")[0]![2] as () => boolean)();

/** Makes the node reject every transaction before it simulates it. */
function rejectBytes(): void {
  deps.beforeCall = ({ method }) => {
    if (method === "simulate") throw new AppError("simulation_failed");
  };
}

describe("executeTransaction", () => {
  test("checks the record, the fee and a simulation with signatures, and records its decision, before it sends", async () => {
    landAfterSends(deps, 1);
    expect(await postSigned(deps, wrap)).toEqual({
      txSignature: readSignature(wrap),
      confirmed: true,
      status: "confirmed",
      slot: 77,
      network: "sandbox",
    });
    expect(listCalls(deps).slice(0, 7)).toEqual([
      ...["kv.getMany", "kv.getMany", "rpc.readRentExemptMinimum", "rpc.simulate"],
      ...["kv.setIfAbsent", "kv.addMember", "rpc.send"],
    ]);
    expect(listArguments(deps, "readSignatureStates")[0]).toEqual([[readSignature(wrap)], false]);
    expect(listArguments(deps, "simulate")[0]![1]).toEqual({ verifySignatures: true });
    expect(listSends(deps)[0]!.bytes).toEqual(wrap);
  });

  test("drops queued sends once the transaction has landed", async () => {
    landAfterSends(deps, 1);
    const { beforeCall } = deps;
    const areSendsWanted: boolean[] = [];
    deps.beforeCall = (call) => {
      if (call.method === "send") areSendsWanted.push((call.args[2] as () => boolean)());
      return beforeCall(call);
    };
    await postSigned(deps, wrap);
    expect(areSendsWanted).toEqual([true]);
    expect(isFirstSendWanted()).toBe(false);
  });

  test("keeps queued sends while the outcome is unknown", async () => {
    deps.background.run = (_key, task) => task(() => false);
    expect(await postSigned(deps, wrap)).toMatchObject({ confirmed: false });
    expect(isFirstSendWanted()).toBe(true);
  });

  test.each([
    ["a text that is not canonical base64", "AQID!", /canonical base64/],
    ["bytes that are not a transaction", toBase64(new Uint8Array(200).fill(7)), /canonically encoded/],
    ["a version 1 transaction", toBase64(Uint8Array.of(0x81, ...new Uint8Array(300))), /Version 1/],
    ["more bytes than the network takes", toBase64(new Uint8Array(1_233)), /1233 bytes.*1232/],
  ])("%s is refused before any port is called", async (_caseName, signedTransaction, expectedMessage) => {
    const caller = { kind: "wallet", wallet: user.address } as const;
    const answer = executeTransaction(deps, parseInput(executeTransactionContract, { signedTransaction }), { caller });
    await expect(answer).rejects.toMatchObject({
      code: "invalid_transaction",
      message: expect.stringMatching(expectedMessage),
    });
    expect(deps.calls).toEqual([]);
  });

  test("refuses a durable-nonce transaction even with valid signatures", async () => {
    const transfer = buildSystemTransfer(user.address, stranger.address, 1n);
    // AdvanceNonceAccount of the System program is tag 4.
    const transaction = buildTransaction([{ ...transfer, data: toBase64(Uint8Array.of(4, 0, 0, 0)) }, transfer]);
    await expect(postSigned(deps, transaction)).rejects.toMatchObject({
      code: "invalid_transaction",
      message: expect.stringMatching(/nonce/i),
    });
    const unsigned = Uint8Array.from(transaction).fill(0, 1, 65);
    await expect(postSigned(deps, unsigned)).rejects.toMatchObject({ code: "transaction_not_signed" });
    expect(deps.calls).toEqual([]);
  });
});

describe("the signature check", () => {
  const cosigner = toTestWallet("cosigner");
  const unsigned = composeTransaction({
    payer: user.address,
    instructions: [
      buildSystemTransfer(user.address, stranger.address, 1_000n),
      buildSystemTransfer(cosigner.address, stranger.address, 1_000n),
    ],
    blockhash: createBlockhash(9),
  }).bytes;
  const fullySigned = signTransaction(unsigned, user, cosigner);
  const flipLowestBit = (index: number) => fullySigned.map((byte, i) => (i === index ? byte ^ 1 : byte));

  test.each([
    ["nobody signed", unsigned, `${user.address} is missing`],
    ["the payer did not sign", signTransaction(unsigned, cosigner), `${user.address} is missing`],
    ["the second signer did not sign", signTransaction(unsigned, user), `${cosigner.address} is missing`],
    ["the payer's signature does not match", flipLowestBit(10), `${user.address} does not match`],
    ["the second signature does not match", flipLowestBit(70), `${cosigner.address} does not match`],
    ["a signature is zero except for one byte", unsigned.map((byte, i) => (i === 1 ? 1 : byte)), "does not match"],
    ["the amount was changed after signing", flipLowestBit(fullySigned.length - 10), `${user.address} does not match`],
  ])(
    "refuses and names the signer, before any port is called, if %s",
    async (_caseName, transaction, expectedMessage) => {
      await expect(postSigned(deps, transaction)).rejects.toMatchObject({
        code: "transaction_not_signed",
        message: expect.stringContaining(expectedMessage),
      });
      expect(deps.calls).toEqual([]);
    },
  );
});

describe("a transaction with a known outcome", () => {
  test.each(["confirmed", "finalized"] as const)(
    "that is %s on the chain is answered at once without sending it",
    async (confirmation) => {
      deps.chain.getStatus = () => ({ slot: 5, error: null, confirmation });
      const startMs = deps.clock.now();
      const answer = await startPosting(deps, wrap);
      expect(answer).toMatchObject({ confirmed: true, status: confirmation, slot: 5 });
      expect(deps.clock.now()).toBe(startMs);
      expect(listCalls(deps)).not.toContain("rpc.send");
      expect(await readRelayRecords(deps, [readSignature(wrap)])).toMatchObject([{ slot: 5, error: null, usd: null }]);
    },
  );

  test("answers from the record when the chain has forgotten the transaction or is down", async () => {
    landAfterSends(deps, 1);
    const firstAnswer = await postSigned(deps, wrap);
    deps.calls.length = 0;
    deps.beforeCall = failCalls("rpc", "prices");
    expect(await postSigned(deps, wrap)).toEqual(firstAnswer);
    expect(listCalls(deps)).toEqual(Array(2).fill("kv.getMany"));
  });
});

describe("the simulation phase", () => {
  test("refuses a transaction that would fail, and never sends its bytes", async () => {
    deps.chain.simulate = createSimulation(INSUFFICIENT_FUNDS);
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({
      code: "simulation_failed",
      message: expect.stringContaining("instruction 0: insufficient funds"),
    });
    // These bytes stay refused, because the client rebuilds and would pay twice. A rebuilt transaction has another
    // blockhash and other bytes.
    deps.chain.simulate = createSimulation();
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({ code: "simulation_failed" });
    expect(listSends(deps)).toEqual([]);
    deps.chain.getLatestBlockhash = () => ({ blockhash: createBlockhash(8), lastValidBlockHeight: 1_150 });
    setPrices(deps);
    landAfterSends(deps, 1);
    expect(await postSigned(deps, await signWrap(deps, serviceWallet))).toMatchObject({ confirmed: true });
  });

  test("keeps a slow call from sending bytes that another call has refused", async () => {
    const payment = buildPayment();
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    deps.beforeCall = async ({ method }) => {
      if (method === "readHead") await gate;
    };
    const slowCall = startPosting(deps, payment).catch((error) => error);
    await deps.clock.advance(1);
    deps.chain.simulate = createSimulation(INSUFFICIENT_FUNDS);
    await expect(postSigned(deps, payment)).rejects.toMatchObject({ code: "simulation_failed" });
    release();
    expect(await runFor(LONG_MS, deps, slowCall)).toMatchObject({ code: "simulation_failed" });
    expect(listSends(deps)).toEqual([]);
  });

  test("does not refuse bytes that a slow call has sent", async () => {
    const payment = buildPayment();
    landAfterSends(deps, 1);
    deps.chain.simulate = createSimulation(INSUFFICIENT_FUNDS);
    let lookupCount = 0;
    let slowCall: Promise<unknown> | null = null;
    deps.beforeCall = async ({ method, args }) => {
      if (method !== "readSignatureStates" || !args[1] || ++lookupCount !== 2) return;
      deps.chain.simulate = createSimulation();
      slowCall = startPosting(deps, payment);
      while (listSends(deps).length === 0) await new Promise(setImmediate);
      deps.chain.getStatus = () => null;
    };
    await expect(postSigned(deps, payment)).rejects.toMatchObject({ code: "upstream_unavailable" });
    landAfterSends(deps, 1);
    expect(await runFor(LONG_MS, deps, slowCall!)).toMatchObject({ confirmed: true });
    expect(await postSigned(deps, payment)).toMatchObject({ confirmed: true });
  });

  test("never refuses a sent message when a later simulation fails", async () => {
    await postSigned(deps, wrap);
    deps.chain.simulate = createSimulation(INSUFFICIENT_FUNDS);
    const sendCount = listSends(deps).length;
    expect(await postSigned(deps, wrap)).toMatchObject({ confirmed: false, status: "pending" });
    expect(listSends(deps).length).toBeGreaterThan(sendCount);
  });

  test.each([
    ["cannot simulate", "simulate"],
    ["fails the simulation and cannot read the chain", "readSignatureStates"],
  ])("neither sends nor refuses while the node %s", async (_caseName, method) => {
    deps.chain.simulate = createSimulation(INSUFFICIENT_FUNDS);
    deps.beforeCall = failCalls(method);
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(listSends(deps)).toEqual([]);
    deps.chain.simulate = createSimulation();
    deps.beforeCall = () => {};
    landAfterSends(deps, 1);
    expect(await postSigned(deps, wrap)).toMatchObject({ confirmed: true });
  });

  test("follows a transaction that the simulation reports as AlreadyProcessed", async () => {
    deps.chain.simulate = createSimulation("AlreadyProcessed");
    landAfterSends(deps, 1);
    expect(await postSigned(deps, wrap)).toMatchObject({ confirmed: true, slot: 77 });
  });

  test("sends on BlockhashNotFound while the blockhash may still be valid", async () => {
    deps.chain.simulate = createSimulation("BlockhashNotFound");
    for (const transaction of [wrap, buildPayment()]) {
      landAfterSends(deps, listSends(deps).length + 1);
      expect(await postSigned(deps, transaction)).toMatchObject({ confirmed: true, slot: 77 });
    }
  });

  test("retries BlockhashNotFound and uses the answer of a node that has the blockhash", async () => {
    const answers: Json[] = ["BlockhashNotFound", "BlockhashNotFound", INSUFFICIENT_FUNDS];
    deps.chain.simulate = () => createSimulation(answers.shift()!)();
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({ code: "simulation_failed" });
    expect(listSends(deps)).toEqual([]);
  });

  test("retries a failure from a lagging node, then fails with upstream_unavailable", async () => {
    const slot = deps.chain.slot() - 1;
    deps.chain.simulate = () => ({ ...createSimulation(INSUFFICIENT_FUNDS)(), slot });
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(listCalls(deps).filter((name) => name === "rpc.simulate")).toHaveLength(4);
    expect(listSends(deps)).toEqual([]);
  });

  test.each([
    ["confirmed", { confirmed: true, slot: 70 }],
    ["processed", { confirmed: false, status: "pending" }],
  ] as const)("does not refuse a transaction that fails because it has just been %s", async (confirmation, answer) => {
    deps.chain.simulate = createSimulation(INSUFFICIENT_FUNDS);
    let lookupCount = 0;
    deps.chain.getStatus = (_, searchesHistory) =>
      searchesHistory && ++lookupCount > 1 ? { slot: 70, error: null, confirmation } : null;
    expect(await postSigned(deps, wrap)).toMatchObject(answer);
    expect(listSends(deps).length > 0).toBe(confirmation === "processed");
  });

  test("reports a landed transaction as landed when the node rejects its bytes", async () => {
    deps.chain.getStatus = () => createConfirmedState(70);
    // For example, one of its lookup tables has been deactivated.
    rejectBytes();
    expect(await postSigned(deps, wrap)).toMatchObject({ confirmed: true, slot: 70 });
    expect(listSends(deps)).toEqual([]);
  });

  test("fails with upstream_unavailable, and does not refuse, while every node lags and one rejects the bytes", async () => {
    deps.signatureWatch.getHighestSlot = () => deps.chain.slot() + 1;
    rejectBytes();
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(await wasRefused(deps, decodeTransaction(wrap).message)).toBe(false);
  });

  test("fails with upstream_unavailable while the simulating node is ahead of the node that reports the outcome", async () => {
    const slot = deps.chain.slot() + 2;
    deps.chain.simulate = () => ({ ...createSimulation(INSUFFICIENT_FUNDS)(), slot });
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("reports an expired transaction without sending it", async () => {
    deps.chain.simulate = createSimulation("BlockhashNotFound");
    deps.chain.getBlockHeight = () => 1_183;
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({
      code: "transaction_expired",
      details: { txSignature: readSignature(wrap) },
    });
    expect(listSends(deps)).toEqual([]);
  });
});

describe("a blockhash that expires before the send", () => {
  /** The wrap is valid up to block 1,150. A send that waits 10 s takes 54 blocks: 50 of the wait and 4 to land. */
  beforeEach(() => {
    deps.chain.estimateSendMs = () => 10_000;
    deps.chain.getBlockHeight = () => 1_097;
  });
  const TOO_LATE = { code: "simulation_failed", message: expect.stringContaining("blockhash expires too soon") };

  test("refuses the message, which is then never sent", async () => {
    await expect(postSigned(deps, wrap)).rejects.toMatchObject(TOO_LATE);
    expect(await wasRefused(deps, decodeTransaction(wrap).message)).toBe(true);
    deps.chain.estimateSendMs = () => 0;
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({ code: "simulation_failed" });
    expect([listSends(deps), await deps.kv.listMembers("pending")]).toEqual([[], new Map()]);
  });

  test.each<[string, () => void]>([
    ["enough blocks are left", () => (deps.chain.getBlockHeight = () => 1_096)],
    ["no send waits", () => (deps.chain.estimateSendMs = () => 0)],
    // Only the head shows that slots were skipped since the build.
    [
      "enough blocks are left, because slots were skipped",
      () => {
        const slot = deps.chain.slot();
        deps.chain.slot = () => slot;
        deps.chain.getBlockHeight = () => 1_050;
      },
    ],
    ["no node tells the head", () => (deps.beforeCall = failCalls("readHead"))],
  ])("changes nothing while %s", async (_caseName, stage) => {
    stage();
    landAfterSends(deps, 1);
    expect(await postSigned(deps, wrap)).toMatchObject({ confirmed: true });
  });

  test("refuses no message that has landed, was sent before or has been processed", async () => {
    deps.chain.estimateSendMs = () => 0;
    expect(await postSigned(deps, wrap)).toMatchObject({ status: "pending" });
    deps.chain.estimateSendMs = () => 10_000;
    expect(await postSigned(deps, wrap)).toMatchObject({ status: "pending" });
    deps.chain.getLatestBlockhash = () => ({ blockhash: createBlockhash(8), lastValidBlockHeight: 1_247 });
    setPrices(deps);
    const secondWrap = await signWrap(deps, serviceWallet);
    deps.chain.getBlockHeight = () => 1_194;
    deps.rpc.simulate = async () => ({ error: null, unitsConsumed: 0, feeLamports: null, slot: deps.chain.slot() });
    deps.chain.getStatus = () => ({ ...createConfirmedState(70), confirmation: "processed" });
    await expect(postSigned(deps, secondWrap)).rejects.toMatchObject({ code: "upstream_unavailable" });
    deps.chain.getStatus = () => createConfirmedState(70);
    expect(await postSigned(deps, secondWrap)).toMatchObject({ confirmed: true, slot: 70 });
  });

  test("believes only a node that has reached the head", async () => {
    deps.chain.getBlockHeight = () => 1_100;
    const { slot } = deps.chain;
    deps.rpc.simulate = async () => ({ error: null, unitsConsumed: 0, feeLamports: null, slot: slot() - 1 });
    deps.rpc.readSignatureStates = async () => ({ slot: slot() - 1, states: [null] });
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(await wasRefused(deps, decodeTransaction(wrap).message)).toBe(false);
  });
});
