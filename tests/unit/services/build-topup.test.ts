import fc from "fast-check";
import { expect, test } from "vitest";
import { buildTopupContract } from "../../../lib/contracts/build-topup";
import type { Reason } from "../../../lib/domain/not-as-shown";
import { type RequestedTopup, verifyTopup } from "../../../lib/sdk/verify/wrap";
import { buildTopup } from "../../../lib/services/build-topup";
import { toBase64 } from "../../../lib/solana/bytes";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { createMemo } from "../../../lib/solana/memo";
import { createSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { parseInput } from "../../support/client/contract-input";
import {
  blockhashOf,
  confirmedAt,
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

function rich(): FakeDeps {
  const deps = fakeDeps();
  deps.chain.accounts.set(user.address, solAccount(10n ** 12n));
  deps.chain.accounts.set(service, solAccount(10n ** 9n));
  return deps;
}

async function topup(deps: FakeDeps, request: Record<string, unknown> = {}) {
  const input = parseInput(buildTopupContract, { amountUsd: 5, ...WALLETS, ...request });
  return buildTopupContract.data.parse(await buildTopup(deps, input));
}

const NOTE = "roundup:1:topup:2026-W47";
const ASKED: RequestedTopup = { wallet: user.address, serviceWallet: service, amountUsd: 5 };

test("any amount is saved whole, a quarter of a percent of it the fee, and a client finds just that in the bytes", async () => {
  const cents = fc.integer({ min: 50, max: 1_000_000 });
  const property = fc.asyncProperty(cents, fc.constantFrom(undefined, "2026-W47"), async (amount, period) => {
    const amountUsd = amount / 100;
    const built = await topup(rich(), { amountUsd, ...(period && { period }) });
    const { breakdown } = built;
    expect(breakdown).toMatchObject({ txValueUsd: 0, roundedToUsd: amountUsd, roundUpUsd: amountUsd, skipped: false });
    expect(breakdown.roundUpLamports).toBe(Number((BigInt(amount) * 10_000_000n) / 150n));
    expect(breakdown.serviceFeeLamports).toBe(Math.floor(breakdown.roundUpLamports / 400));
    expect(breakdown.serviceFeeLamports + breakdown.userInvestmentLamports).toBe(breakdown.roundUpLamports);
    const memo = period && `roundup:1:topup:${period}`;
    expect(verifyTopup(built, { ...ASKED, amountUsd, memo }).roundUpUsd).toBe(amountUsd);
  });
  await fc.assert(property);
});

test.each<[string, Partial<RequestedTopup>, Reason]>([
  ["a smaller amount", { amountUsd: 4.99 }, "not_asked_for"],
  ["a tenth", { amountUsd: 0.5 }, "not_asked_for"],
  ["another service wallet", { serviceWallet: user.address }, "other_wallet"],
  ["another payer", { wallet: service }, "other_signer"],
  ["no period", { memo: undefined }, "memo"],
  ["another period", { memo: "roundup:1:topup:2026-W48" }, "memo"],
])("the client refuses the top-up if %s was requested", async (_what, query, reason) => {
  const built = await topup(rich(), { period: "2026-W47" });
  const question = { ...ASKED, memo: NOTE };
  expect(catchReason(() => verifyTopup(built, question))).toBeNull();
  expect(catchReason(() => verifyTopup(built, { ...question, ...query }))).toBe(reason);
});

const thief = testWallet("thief").address;
const [asked, ofThief] = [user.address, thief].map((signer) => createMemo(NOTE, signer)) as [
  InstructionLike,
  InstructionLike,
];

type Change = (saving: InstructionLike, fee: InstructionLike) => InstructionLike[];
test.each<[string, Reason | null, Change]>([
  ["as it was asked for", null, (saving, fee) => [saving, fee, asked]],
  ["without its period", "memo", (saving, fee) => [saving, fee]],
  ["with its period twice", "memo", (saving, fee) => [saving, fee, asked, asked]],
  [
    "of two periods",
    "memo",
    (saving, fee) => [saving, fee, asked, createMemo("roundup:1:topup:2026-W48", user.address)],
  ],
  [
    "that says payments are saved",
    "memo",
    (saving, fee) => [saving, fee, createMemo(`roundup:1:through:${"5".repeat(88)}`, user.address)],
  ],
  ["whose period another signs", "other_signer", (saving, fee) => [saving, fee, ofThief]],
  ["made twice", "unknown_instruction", (saving, fee) => [saving, saving, fee, asked]],
  ["to a thief", "other_wallet", (_, fee) => [createSystemTransfer(user.address, thief, 1n), fee, asked]],
  [
    "with its fee to a thief",
    "sol_elsewhere",
    (saving) => [saving, createSystemTransfer(user.address, thief, 1n), asked],
  ],
])("read by the client: a top-up %s: %s", async (_what, reason, change) => {
  const built = await topup(rich(), { period: "2026-W47" });
  const instructions = change(...(built.instructions as [InstructionLike, InstructionLike]));
  const { bytes } = composeTransaction({ payer: user.address, instructions, blockhash: blockhashOf(1) });
  const transaction = { ...built.transaction!, base64: toBase64(bytes) };
  const hostile = { ...built, transaction, unsigned: transaction };
  expect(catchReason(() => verifyTopup(hostile, { ...ASKED, memo: NOTE }))).toBe(reason);
});

test("one top-up of a period is sent, then none is built for it, and the next period's is built", async () => {
  const deps = rich();
  const sign = async (asked: Record<string, unknown>) =>
    signTransaction(Buffer.from((await topup(deps, asked)).transaction!.base64, "base64"), user);
  const [first, second] = [await sign({ period: "w1" }), await sign({ period: "w1", amountUsd: 6 })];
  deps.chain.status = () => (listSends(deps).length > 0 ? confirmedAt(6) : null);
  expect(await post(deps, first)).toMatchObject({ confirmed: true });
  deps.chain.status = () => null;
  await expect(post(deps, second)).rejects.toMatchObject({ code: "already_saved" });
  deps.quoted.current = pricesAt(deps.clock.now());
  await expect(topup(deps, { period: "w1" })).rejects.toMatchObject({ code: "already_saved" });
  expect((await topup(deps, { period: "w2" })).affordable).toBe(true);
  expect((await topup(deps)).affordable).toBe(true);
});

test("400: refuses a period one period after its end, and never a name without dates", async () => {
  const deps = rich();
  const closes = Date.parse("2026-11-30T00:00:00Z");
  await deps.clock.advance(closes - 1 - deps.clock.now());
  deps.quoted.current = pricesAt(deps.clock.now());
  for (const period of ["2026-W47", "w1"]) expect((await topup(deps, { period })).affordable).toBe(true);
  await deps.clock.advance(1);
  expect((await topup(deps, { period: "w1" })).affordable).toBe(true);
  await expect(topup(deps, { period: "2026-W47" })).rejects.toMatchObject({
    code: "invalid_request",
    details: { issues: [{ path: "period" }] },
  });
});

test("nothing is built while saving is paused, or with an old or doubtful price of SOL", async () => {
  const paused = rich();
  paused.pause = { parts: ["save"], reason: null };
  await expect(topup(paused)).rejects.toMatchObject({ code: "service_not_ready" });
  const stale = rich();
  await stale.clock.advance(60_001);
  await expect(topup(stale)).rejects.toMatchObject({ code: "price_stale" });
});

test("two equal wallets are refused before any port is called", async () => {
  const deps = fakeDeps();
  await expect(topup(deps, { serviceWalletPubkey: user.address })).rejects.toMatchObject({ code: "wallets_equal" });
  expect(deps.calls).toEqual([]);
});
