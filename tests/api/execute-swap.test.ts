import { afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import type { DataOf } from "../../lib/contracts/define";
import type { executeSwapContract } from "../../lib/contracts/execute-swap";
import { sandboxRpc } from "../support/app/app";
import {
  chain,
  compose,
  healSandbox,
  lamportsOf,
  newSaver,
  outliveBlockhashes,
  type Saver,
  sendDirectly,
  stageFault,
  transfer,
  UPSTREAM_TEXT,
  wrapFor,
} from "../support/chain/chain";
import { data, execute, fund, newWallet, post, signTransaction, type Wallet } from "../support/client/client";

/** What the relay makes of good transactions, landed, lost, late or failing; execute-refusals and execute-fee have the rest. */

afterEach(healSandbox);

const relay = (signedTransaction: string, { headers }: Wallet) =>
  post("/api/swap/execute", { signedTransaction }, { headers });

/** @throws when it is pending and has none */
function slotOf(relayed: DataOf<typeof executeSwapContract>): number {
  if (!relayed.confirmed) throw new Error("the transaction is pending");
  return relayed.slot;
}

async function signedWrap(saver: Saver, fields: Record<string, unknown> = { txValueUsd: 12.34, plan: "tree" }) {
  const { transaction, breakdown } = await wrapFor(saver, fields);
  return { signed: signTransaction(transaction!.base64, saver.user.keys), breakdown, transaction };
}

/** A transfer between two ordinary wallets, funded. */
async function signedTransfer(lamports: number, blockhash?: string) {
  const [sender, receiver] = [await newWallet(), await newWallet()];
  await fund(sender.address, 1);
  await fund(receiver.address, 0.01);
  const instructions = [transfer(sender.address, receiver.address, lamports)];
  return { sender, receiver, signed: await compose({ signers: [sender], instructions, blockhash }) };
}

describe("200", () => {
  test("a wrap lands: its signature, slot and network, and the chain knows it", async () => {
    const saver = await newSaver();
    const { signed } = await signedWrap(saver);
    const answer = await relay(signed, saver.user);
    expect(answer.status).toBe(200);
    const landed = await data(answer);
    expect(landed).toEqual({
      txSignature: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/),
      confirmed: true,
      status: expect.stringMatching(/^(confirmed|finalized)$/),
      slot: expect.any(Number),
      network: "sandbox",
    });
    const { value } = await chain().getSignatureStatuses([landed.txSignature]);
    expect(value[0]).toMatchObject({ slot: slotOf(landed), err: null });
  });

  test("the same bytes posted again give the same answer and move no money twice", async () => {
    const saver = await newSaver();
    const { signed } = await signedWrap(saver);
    const first = await data(relay(signed, saver.user));
    const balances = await lamportsOf(saver.user.address, saver.service.address);
    for (let i = 0; i < 3; i++) expect(await data(relay(signed, saver.user))).toEqual(first);
    expect(await lamportsOf(saver.user.address, saver.service.address)).toEqual(balances);
  });

  test("the same bytes posted many times at once land once", async () => {
    const saver = await newSaver({ serviceSol: 0.01 });
    const { signed, breakdown } = await signedWrap(saver);
    const answers = await Promise.all(Array.from({ length: 8 }, () => data(relay(signed, saver.user))));
    expect(new Set(answers.map((landed) => `${landed.txSignature} ${slotOf(landed)}`)).size).toBe(1);
    expect(await lamportsOf(saver.service.address)).toEqual([10_000_000 + breakdown.userInvestmentLamports]);
  });

  test("whoever posts it: the signatures in the transaction are what counts", async () => {
    const saver = await newSaver();
    const { signed } = await signedWrap(saver);
    const headers = { "x-api-key": inject("doors").apiKey };
    expect((await post("/api/swap/execute", { signedTransaction: signed }, { headers })).status).toBe(200);
  });

  test("what has landed past the service is answered, not sent again", async () => {
    const saver = await newSaver();
    const { signed } = await signedWrap(saver);
    const txSignature = await sendDirectly(signed);
    await sandboxRpc(inject("doors").rpc, "sandbox_dropTransactions", [true]);
    expect(await data(relay(signed, saver.user))).toMatchObject({ txSignature, confirmed: true });
  });

  test("what has landed is still answered after its blockhash is long gone", async () => {
    const saver = await newSaver();
    const wrap = await signedWrap(saver);
    const direct = await signedTransfer(1_000_000);
    const first = await data(relay(wrap.signed, saver.user));
    await sendDirectly(direct.signed);
    await outliveBlockhashes();
    expect(await data(relay(wrap.signed, saver.user))).toEqual(first);
    expect((await data(relay(direct.signed, direct.sender))).confirmed).toBe(true);
  });

  test.each([false, true])(
    "a transfer between ordinary wallets is relayed without a fee (legacy: %o)",
    async (legacy) => {
      const [sender, receiver] = [await newWallet(), await newWallet()];
      await fund(sender.address, 1);
      const instructions = [transfer(sender.address, receiver.address, 250_000_000)];
      await data(relay(await compose({ signers: [sender], instructions, legacy }), sender));
      expect(await lamportsOf(sender.address, receiver.address)).toEqual([750_000_000 - 5_000, 250_000_000]);
    },
  );

  test("a transaction of two signers, both there", async () => {
    const [payer, owner, receiver] = [await newWallet(), await newWallet(), await newWallet()];
    await fund(payer.address, 1);
    await fund(owner.address, 1);
    const instructions = [transfer(owner.address, receiver.address, 1_000_000_000)];
    await data(relay(await compose({ signers: [payer, owner], instructions }), payer));
    expect(await lamportsOf(owner.address, receiver.address)).toEqual([0, 1_000_000_000]);
  });
});

describe("unknown for as long as anybody waits", () => {
  let saver: Saver;
  let lost: Awaited<ReturnType<typeof signedWrap>>;
  let pending: Awaited<ReturnType<typeof relay>>;
  let balanceOfLost: number[];
  let transfers: Awaited<ReturnType<typeof signedTransfer>>[];
  let early: (typeof pending)[];
  const relayTransfers = () => Promise.all(transfers.map(({ signed, sender }) => relay(signed, sender)));

  // Each takes the service's whole patience of 25 s: side by side.
  beforeAll(async () => {
    transfers = [await signedTransfer(1_000_000), await signedTransfer(1_000_000, (await newWallet()).address)];
    await outliveBlockhashes();
    saver = await newSaver({ serviceSol: 0.01 });
    lost = await signedWrap(saver);
    await sandboxRpc(inject("doors").rpc, "sandbox_dropTransactions", [true]);
    [pending, early] = await Promise.all([relay(lost.signed, saver.user), relayTransfers()]);
    balanceOfLost = await lamportsOf(saver.service.address);
    await healSandbox();
  });

  test("202, then 200: a transaction that the network loses is pending, never called failed; posted again it lands, once", async () => {
    expect(pending.status).toBe(202);
    expect(pending.body).toEqual({
      ok: true,
      data: {
        txSignature: expect.any(String),
        confirmed: false,
        status: "pending",
        lastValidBlockHeight: lost.transaction!.lastValidBlockHeight,
        network: "sandbox",
      },
    });
    expect(balanceOfLost).toEqual([10_000_000]);
    const landed = await relay(lost.signed, saver.user);
    expect(landed.status).toBe(200);
    expect(landed.body?.data).toMatchObject({ txSignature: pending.body!.data!.txSignature, confirmed: true });
    expect(await lamportsOf(saver.service.address)).toEqual([10_000_000 + lost.breakdown.userInvestmentLamports]);
  });

  test("202, then 422: an app's own transaction expires too, as does one on a blockhash that never was, once that is certain", async () => {
    // Nobody here knows how old their blockhashes are, so at first they may be new.
    for (const { status, body } of early) expect([status, body?.data?.status]).toEqual([202, "pending"]);
    await outliveBlockhashes();
    for (const { status, body } of await relayTransfers()) {
      expect([status, body?.code]).toEqual([422, "transaction_expired"]);
    }
    expect(await lamportsOf(...transfers.map(({ sender }) => sender.address))).toEqual([1_000_000_000, 1_000_000_000]);
  });
});

describe("422", () => {
  test("a wrap that outlived its blockhash has expired, for good, and nothing moved", async () => {
    const saver = await newSaver();
    const { signed } = await signedWrap(saver);
    await outliveBlockhashes();
    for (let i = 0; i < 2; i++) {
      const { status, body } = await relay(signed, saver.user);
      expect([status, body?.code]).toEqual([422, "transaction_expired"]);
      expect(body?.txSignature).toMatch(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
    }
    expect(await lamportsOf(saver.user.address, saver.service.address)).toEqual([1_000_000_000, 0]);
  });

  test("what the network would refuse is not sent, and the answer says why", async () => {
    const { signed, sender, receiver } = await signedTransfer(2_000_000_000);
    const { status, body, text } = await relay(signed, sender);
    expect([status, body?.code]).toEqual([422, "simulation_failed"]);
    expect(body?.error).toMatch(/insufficient funds/);
    expect(body?.txSignature).toEqual(expect.any(String));
    expect(text).not.toMatch(UPSTREAM_TEXT);
    // Not even the network's fee was spent.
    expect(await lamportsOf(sender.address, receiver.address)).toEqual([1_000_000_000, 10_000_000]);
    expect((await chain().getSignatureStatuses([body!.txSignature!])).value).toEqual([null]);
  });

  test("a payer without SOL", async () => {
    const [poor, other] = [await newWallet(), await newWallet()];
    const signed = await compose({ signers: [poor], instructions: [transfer(poor.address, other.address, 1_000_000)] });
    const { status, body } = await relay(signed, poor);
    expect([status, body?.code]).toEqual([422, "simulation_failed"]);
    expect(body?.error).toMatch(/holds no SOL/);
  });

  test("one that failed on the chain is told so with its signature, every time", async () => {
    const { signed, sender } = await signedTransfer(2_000_000_000);
    const txSignature = await sendDirectly(signed);
    const first = await relay(signed, sender);
    expect(first.status).toBe(422);
    expect(first.body).toEqual({
      ok: false,
      code: "transaction_failed",
      error: expect.stringMatching(/failed there: .*insufficient funds/),
      requestId: expect.any(String),
      txSignature,
    });
    const again = await relay(signed, sender);
    expect({ ...again.body, requestId: "" }).toEqual({ ...first.body, requestId: "" });
  });
});

describe("50x", () => {
  test.each([
    ["getSignatureStatuses", "error", 503, "upstream_unavailable"],
    ["simulateTransaction", "error", 503, "upstream_unavailable"],
    ["simulateTransaction", "garbage", 502, "upstream_invalid"],
  ] as const)(
    "%s giving an %s before anything was sent: nothing was, and again it lands",
    async (target, mode, expected, code) => {
      const saver = await newSaver();
      const { signed } = await signedWrap(saver);
      await stageFault(target, mode);
      const { status, body, text } = await relay(signed, saver.user);
      expect([status, body?.code]).toEqual([expected, code]);
      expect(text).not.toMatch(UPSTREAM_TEXT);
      expect(await lamportsOf(saver.user.address)).toEqual([1_000_000_000]);
      await healSandbox();
      expect((await execute(signed, saver.user.headers)).status).toBe(200);
    },
  );
});

test("401: without credentials", async () => {
  const { signed } = await signedTransfer(1_000_000);
  const { status, body } = await post("/api/swap/execute", { signedTransaction: signed });
  expect([status, body?.code]).toEqual([401, "credentials_missing"]);
});
