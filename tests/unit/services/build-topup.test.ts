import fc from "fast-check";
import { expect, test } from "vitest";
import { buildTopupContract } from "../../../lib/contracts/build-topup";
import type { Reason } from "../../../lib/domain/not-as-shown";
import { type RequestedTopup, verifyTopup } from "../../../lib/sdk/verify/wrap";
import { buildTopup } from "../../../lib/services/build-topup";
import { toBase64 } from "../../../lib/solana/bytes";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { buildMemo } from "../../../lib/solana/memo";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { parseInput } from "../../support/client/contract-input";
import {
  createBlockhash,
  createConfirmedState,
  type FakeDeps,
  fakeDeps,
  listSends,
  pricesAt,
  solAccount,
} from "../../support/fakes/fake-deps";
import { catchReason } from "../../support/fixtures/catch-reason";
import { signTransaction, testWallet } from "../../support/fixtures/test-wallets";
import { post } from "../../support/worlds/relay-rig";

const user = testWallet("saver");
const service = testWallet("service wallet").address;
const WALLETS = { userPubkey: user.address, serviceWalletPubkey: service };

function stageRichWallets(): FakeDeps {
  const deps = fakeDeps();
  deps.chain.accounts.set(user.address, solAccount(10n ** 12n));
  deps.chain.accounts.set(service, solAccount(10n ** 9n));
  return deps;
}

async function buildTopupAnswer(deps: FakeDeps, request: Record<string, unknown> = {}) {
  const input = parseInput(buildTopupContract, { amountUsd: 5, ...WALLETS, ...request });
  return buildTopupContract.data.parse(await buildTopup(deps, input));
}

const MEMO = "roundup:1:topup:2026-W47";
const TERMS: RequestedTopup = { wallet: user.address, serviceWallet: service, amountUsd: 5 };

test("any amount is saved with a fee of 0.25 % that the client verifies in the bytes", async () => {
  const cents = fc.integer({ min: 50, max: 1_000_000 });
  const property = fc.asyncProperty(cents, fc.constantFrom(undefined, "2026-W47"), async (amount, period) => {
    const amountUsd = amount / 100;
    const answer = await buildTopupAnswer(stageRichWallets(), { amountUsd, ...(period && { period }) });
    const { breakdown } = answer;
    expect(breakdown).toMatchObject({ txValueUsd: 0, roundedToUsd: amountUsd, roundUpUsd: amountUsd, skipped: false });
    expect(breakdown.roundUpLamports).toBe(Number((BigInt(amount) * 10_000_000n) / 150n));
    expect(breakdown.serviceFeeLamports).toBe(Math.floor(breakdown.roundUpLamports / 400));
    expect(breakdown.serviceFeeLamports + breakdown.userInvestmentLamports).toBe(breakdown.roundUpLamports);
    const memo = period && `roundup:1:topup:${period}`;
    expect(verifyTopup(answer, { ...TERMS, amountUsd, memo }).roundUpUsd).toBe(amountUsd);
  });
  await fc.assert(property);
});

test.each<[string, Partial<RequestedTopup>, Reason]>([
  ["a smaller amount", { amountUsd: 4.99 }, "not_asked_for"],
  ["a tenth of the amount", { amountUsd: 0.5 }, "not_asked_for"],
  ["another service wallet", { serviceWallet: user.address }, "other_wallet"],
  ["another payer", { wallet: service }, "other_signer"],
  ["no period", { memo: undefined }, "memo"],
  ["another period", { memo: "roundup:1:topup:2026-W48" }, "memo"],
])("the client refuses the top-up if %s was requested", async (_what, changes, reason) => {
  const answer = await buildTopupAnswer(stageRichWallets(), { period: "2026-W47" });
  const terms = { ...TERMS, memo: MEMO };
  expect(catchReason(() => verifyTopup(answer, terms))).toBeNull();
  expect(catchReason(() => verifyTopup(answer, { ...terms, ...changes }))).toBe(reason);
});

const thief = testWallet("thief").address;
const [ownMemo, thiefMemo] = [user.address, thief].map((signer) => buildMemo(MEMO, signer)) as [
  InstructionLike,
  InstructionLike,
];

type Change = (saving: InstructionLike, fee: InstructionLike) => InstructionLike[];
test.each<[string, Reason | null, Change]>([
  ["as it was built", null, (saving, fee) => [saving, fee, ownMemo]],
  ["without its period", "memo", (saving, fee) => [saving, fee]],
  ["with its period twice", "memo", (saving, fee) => [saving, fee, ownMemo, ownMemo]],
  [
    "with two periods",
    "memo",
    (saving, fee) => [saving, fee, ownMemo, buildMemo("roundup:1:topup:2026-W48", user.address)],
  ],
  [
    "with a mark of saved payments",
    "memo",
    (saving, fee) => [saving, fee, buildMemo(`roundup:1:through:${"5".repeat(88)}`, user.address)],
  ],
  ["with a period that another wallet signs", "other_signer", (saving, fee) => [saving, fee, thiefMemo]],
  ["with its saving twice", "unknown_instruction", (saving, fee) => [saving, saving, fee, ownMemo]],
  ["to a thief", "other_wallet", (_, fee) => [buildSystemTransfer(user.address, thief, 1n), fee, ownMemo]],
  [
    "with its fee to a thief",
    "sol_elsewhere",
    (saving) => [saving, buildSystemTransfer(user.address, thief, 1n), ownMemo],
  ],
])("the client judges a top-up %s as %s", async (_what, reason, change) => {
  const answer = await buildTopupAnswer(stageRichWallets(), { period: "2026-W47" });
  const instructions = change(...(answer.instructions as [InstructionLike, InstructionLike]));
  const { bytes } = composeTransaction({ payer: user.address, instructions, blockhash: createBlockhash(1) });
  const transaction = { ...answer.transaction!, base64: toBase64(bytes) };
  const hostileAnswer = { ...answer, transaction, unsigned: transaction };
  expect(catchReason(() => verifyTopup(hostileAnswer, { ...TERMS, memo: MEMO }))).toBe(reason);
});

test("a period with a landed top-up gets no second top-up", async () => {
  const deps = stageRichWallets();
  const sign = async (request: Record<string, unknown>) =>
    signTransaction(Buffer.from((await buildTopupAnswer(deps, request)).transaction!.base64, "base64"), user);
  const [firstTopup, secondTopup] = [await sign({ period: "w1" }), await sign({ period: "w1", amountUsd: 6 })];
  deps.chain.status = () => (listSends(deps).length > 0 ? createConfirmedState(6) : null);
  expect(await post(deps, firstTopup)).toMatchObject({ confirmed: true });
  deps.chain.status = () => null;
  await expect(post(deps, secondTopup)).rejects.toMatchObject({ code: "already_saved" });
  deps.quoted.current = pricesAt(deps.clock.now());
  await expect(buildTopupAnswer(deps, { period: "w1" })).rejects.toMatchObject({ code: "already_saved" });
  expect((await buildTopupAnswer(deps, { period: "w2" })).affordable).toBe(true);
  expect((await buildTopupAnswer(deps)).affordable).toBe(true);
});

test("400: a period is refused one period after its end", async () => {
  const deps = stageRichWallets();
  const closesAt = Date.parse("2026-11-30T00:00:00Z");
  await deps.clock.advance(closesAt - 1 - deps.clock.now());
  deps.quoted.current = pricesAt(deps.clock.now());
  for (const period of ["2026-W47", "w1"]) expect((await buildTopupAnswer(deps, { period })).affordable).toBe(true);
  await deps.clock.advance(1);
  expect((await buildTopupAnswer(deps, { period: "w1" })).affordable).toBe(true);
  await expect(buildTopupAnswer(deps, { period: "2026-W47" })).rejects.toMatchObject({
    code: "invalid_request",
    details: { issues: [{ path: "period" }] },
  });
});

test("nothing is built while saving is paused or with a stale price of SOL", async () => {
  const pausedDeps = stageRichWallets();
  pausedDeps.pause = { parts: ["save"], reason: null };
  await expect(buildTopupAnswer(pausedDeps)).rejects.toMatchObject({ code: "service_not_ready" });
  const staleDeps = stageRichWallets();
  await staleDeps.clock.advance(60_001);
  await expect(buildTopupAnswer(staleDeps)).rejects.toMatchObject({ code: "price_stale" });
});

test("two equal wallets are refused before any port is called", async () => {
  const deps = fakeDeps();
  await expect(buildTopupAnswer(deps, { serviceWalletPubkey: user.address })).rejects.toMatchObject({
    code: "wallets_equal",
  });
  expect(deps.calls).toEqual([]);
});
