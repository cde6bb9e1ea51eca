import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { getEventsContract } from "@/lib/contracts/get-events";
import { ASSETS } from "@/lib/domain/assets";
import { deriveUsdcAccount } from "@/lib/domain/dollar-accounts";
import { createThroughMark, formatMark } from "@/lib/domain/marks";
import { encodeMint } from "@/lib/sandbox/chain/token-accounts";
import { buildWrap } from "@/lib/services/build-wrap";
import { buildWrapBatch } from "@/lib/services/build-wrap-batch";
import { getEvents } from "@/lib/services/get-events";
import { getReference } from "@/lib/services/get-reference";
import { getSpending } from "@/lib/services/get-spending";
import { recordServiceWallet } from "@/lib/services/records/service-wallets";
import type { InstructionLike } from "@/lib/solana/instructions";
import { buildMemo } from "@/lib/solana/memo";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "@/lib/solana/programs";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import { readTokenAmount, readTokenOwner } from "@/lib/solana/token-accounts";
import {
  buildApproveChecked,
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "@/lib/solana/token-instructions";
import { putAccount, putTokens } from "../../support/chain/sandbox-rig";
import { callService } from "../../support/client/contract-input";
import { FEE_COLLECTORS } from "../../support/fakes/fake-deps";
import { type TestWallet, toTestWallet } from "../../support/fixtures/test-wallets";
import { clearStore } from "../../support/store/store-snapshot";
import { readErrorCode, startPosting, stranger, user } from "../../support/worlds/relay-rig";
import {
  buildGift,
  buildOpening,
  buildUsdcTransfer,
  savings,
  stageUsdc,
  toPayTerms,
  toUnchecked,
  WAYS,
  type Way,
} from "../../support/worlds/usdc-world";

/* Savings in USDC, on the sandbox's real Token program. */

const [USER, STRANGER, SAVINGS, COLLECTOR] = [
  user.address,
  stranger.address,
  savings.address,
  FEE_COLLECTORS[0]!,
] as const;
let world: Awaited<ReturnType<typeof stageUsdc>>;
let payment: string;

beforeEach(async () => {
  world = await stageUsdc();
  putTokens(world.chain, SAVINGS, ASSETS.USDC.mint, 0n);
  payment = await world.pay(10.4);
});

const readSpending = () => getSpending(world.deps, { address: USER });
const save = async (batch: { txValuesUsd: number[]; through: string; after: string }, way: Way) => {
  const input = { ...batch, plan: "forest", ...world.wallets, ...toPayTerms(way) } as const;
  return world.post(world.signBuilt(await buildWrapBatch(world.deps, input), way));
};
const markPayment = (signer = USER) => buildMemo(formatMark(createThroughMark(payment, "none")), signer);

describe.each(WAYS)("a batch saved in USDC by %s", (way) => {
  test("is neither a payment nor lost, sets savedThrough, and is saved once even after a flush", async () => {
    await world.approve(user, SAVINGS);
    const [batch] = (await readSpending()).batches;
    expect(await save(batch!, way)).toMatchObject({ confirmed: true });
    for (const isFlushed of [false, true]) {
      if (isFlushed) await clearStore(world.deps);
      const { savedThrough, items, leftOut, isComplete } = await readSpending();
      expect({ savedThrough, items, isComplete }).toEqual({ savedThrough: payment, items: [], isComplete: true });
      expect(leftOut.filter(({ reason }) => reason === "unreadable")).toEqual([]);
      for (const rivalWay of WAYS)
        await expect(save(batch!, rivalWay)).rejects.toMatchObject({ code: "already_saved" });
    }
    await world.pay(3.3);
    const { batches } = await readSpending();
    expect(batches.map(({ txValuesUsd }) => txValuesUsd)).toEqual([[3.3]]);
    expect(await save(batches[0]!, way)).toMatchObject({ confirmed: true });
  });
});

test.each(WAYS)(
  "an order saved in USDC by %s is as built, in the reference and in the owner's event alike",
  async (way) => {
    await world.approve(user, SAVINGS);
    const caller = { kind: "wallet", wallet: USER } as const;
    const order = {
      txValueUsd: 4.63,
      plan: "tree",
      reference: "order 1",
      ...world.wallets,
      ...toPayTerms(way),
    } as const;
    await world.post(world.signBuilt(await buildWrap(world.deps, order, { caller }), way));
    const { events } = await callService(getEventsContract, getEvents, world.deps, {}, { caller });
    const reference = await getReference(world.deps, { reference: "order 1" }, { caller });
    expect(events).toMatchObject([{ type: "saving.confirmed", wallet: USER, reference: "order 1" }]);
    for (const { asBuilt, expected, amounts } of [events[0]!, reference]) {
      expect(asBuilt).toBe(true);
      expect(expected).toEqual(reference.expected);
      expect(amounts.find(({ asset }) => asset === "USDC")).toMatchObject({ amount: "-370000" });
    }
    await clearStore(world.deps);
    expect(await getReference(world.deps, { reference: "order 1" }, { caller })).toMatchObject({ state: "confirmed" });
    await expect(buildWrap(world.deps, order, { caller })).rejects.toMatchObject({ code: "already_saved" });
  },
);

const ALLOWANCE_SAVING = { from: USER, by: SAVINGS, to: SAVINGS, amount: 990n, keys: [USER], feeKeys: [] as string[] };
/** Builds a saving by allowance as an app does: the fee, the memo, and the transfer that names the owner. */
function buildAllowanceSaving(change: Partial<typeof ALLOWANCE_SAVING> & { feeFrom?: string; memoBy?: string } = {}) {
  const { from, by, to, amount, keys, feeKeys } = { ...ALLOWANCE_SAVING, ...change };
  const { feeFrom = from, memoBy = by } = change;
  return [
    buildUsdcTransfer({ from: feeFrom, to: COLLECTOR, by }, 10n, feeKeys),
    markPayment(memoBy),
    buildUsdcTransfer({ from, to, by }, amount, keys),
  ];
}

test.each([
  ["the owner and then a key of its own", [USER, COLLECTOR]],
  ["the owner twice", [USER, USER]],
])("a saving by allowance whose transfer names %s sets the owner's mark", async (_caseName, keys) => {
  await world.approve(user, SAVINGS);
  expect(await world.post(world.sign(buildAllowanceSaving({ keys }), savings))).toMatchObject({ confirmed: true });
  expect(await readSpending()).toMatchObject({ savedThrough: payment });
});

test("a stranger's saving by an allowance that it lacks holds no claim, while no node can simulate it", async () => {
  const { deps } = world;
  putTokens(world.chain, STRANGER, ASSETS.USDC.mint, 0n);
  await recordServiceWallet(deps, STRANGER, null);
  const [batch] = (await readSpending()).batches;
  // A build hands out the newest blockhash, so the service vouches for it.
  await buildWrap(deps, { txValueUsd: 4.63, plan: "tree", ...world.wallets });
  const forgery = world.sign(buildAllowanceSaving({ by: STRANGER, to: STRANGER }), stranger);
  const { simulate, send } = deps.rpc;
  // A node that refused to send it would free the claim.
  deps.rpc.send = async () => {};
  deps.rpc.simulate = async (...call) => ({ ...(await simulate(...call)), error: "BlockhashNotFound" });
  const posting = startPosting(deps, forgery).catch(readErrorCode);
  await deps.clock.advance(15_000);
  Object.assign(deps.rpc, { simulate, send });
  expect(await save(batch!, "signature")).toMatchObject({ confirmed: true });
  await posting;
});

test.each<[string, () => InstructionLike[]]>([
  ["SOL", () => [buildSystemTransfer(USER, SAVINGS, 5_000_000n), buildSystemTransfer(USER, COLLECTOR, 12_500n)]],
  [
    "USDC",
    () => [buildUsdcTransfer({ from: USER, to: SAVINGS }, 990n), buildUsdcTransfer({ from: USER, to: COLLECTOR }, 10n)],
  ],
])(
  "a saving in %s beside a payment of USDC that carries a shop's reference sets the wallet's mark",
  async (_currency, listTransfers) => {
    const reference = toTestWallet("reference of a shop").address;
    const sale = buildUsdcTransfer({ from: USER, to: STRANGER }, 4_200_000n, [reference]);
    const bytes = world.sign([sale, markPayment(), ...listTransfers()], user);
    expect(await world.post(bytes)).toMatchObject({ confirmed: true });
    expect(await readSpending()).toMatchObject({ savedThrough: payment, batches: [] });
  },
);

const FRESH = toTestWallet("fresh token account");
const buildFresh = (source: string, to: string, by: string, amount: bigint, keys: string[] = []) => {
  const accounts = { source, destination: deriveUsdcAccount(to), authority: by };
  return buildTransferChecked({ ...accounts, ...ASSETS.USDC, amount }, undefined, keys);
};
/** A transfer of 100 units of another token, which names the user. */
const buildOther = (mint: string, from: string, to: string, authority = SAVINGS, program = TOKEN_PROGRAM) => {
  const [source, destination] = [from, to].map((owner) => deriveAssociatedTokenAddress(owner, mint, program));
  const accounts = { source: source!, destination: destination!, authority };
  return buildTransferChecked({ ...accounts, mint, amount: 100n, decimals: 6 }, program, [USER]);
};
/** Transactions that carry a mark of the user's payment, which must not count, and the codes with which execute refuses them. */
type Forgery = [name: string, build: () => Promise<InstructionLike[]> | InstructionLike[], TestWallet[], code?: string];
const FORGERIES: Forgery[] = [
  [
    "a stranger names the user as a key of its own transfer",
    () => buildAllowanceSaving({ from: STRANGER, by: STRANGER, feeKeys: [USER] }),
    [stranger],
  ],
  [
    "a stranger opens the source in the transaction and gives it to the user at its end",
    () => [
      ...buildOpening(STRANGER, FRESH.address, STRANGER),
      buildTransferChecked({
        source: deriveUsdcAccount(STRANGER),
        destination: FRESH.address,
        authority: STRANGER,
        ...ASSETS.USDC,
        amount: 1_000n,
      }),
      buildFresh(FRESH.address, COLLECTOR, STRANGER, 10n, [USER]),
      markPayment(STRANGER),
      buildFresh(FRESH.address, STRANGER, STRANGER, 990n, [USER]),
      buildGift(FRESH.address, STRANGER, USER),
    ],
    [stranger, FRESH],
  ],
  [
    "a delegate of another wallet names the user",
    () => buildAllowanceSaving({ from: STRANGER, feeKeys: [USER] }),
    [savings],
  ],
  ["the fee comes from another owner than the saving", () => buildAllowanceSaving({ feeFrom: STRANGER }), [savings]],
  ["no fee is paid", () => buildAllowanceSaving().slice(1), [savings], "fee_missing"],
  ["only the fee is paid", () => buildAllowanceSaving({ feeKeys: [USER] }).slice(0, 2), [savings]],
  ["the USDC goes to another wallet than the delegate", () => buildAllowanceSaving({ to: STRANGER }), [savings]],
  [
    "a stranger signs the memo beside the delegate's saving",
    () => buildAllowanceSaving({ memoBy: STRANGER }),
    [stranger, savings],
  ],
  ["the owner is named behind another key", () => buildAllowanceSaving({ keys: [COLLECTOR, USER] }), [savings]],
  [
    "the transfers are unchecked",
    () => buildAllowanceSaving().map((each, i) => (i === 1 ? each : toUnchecked(each))),
    [savings],
  ],
  ["the saving moves nothing", () => buildAllowanceSaving({ amount: 0n }), [savings]],
  [
    "the fee is paid in USDT",
    async () => {
      for (const owner of [USER, COLLECTOR]) putTokens(world.chain, owner, ASSETS.USDT.mint, 1_000_000n);
      const account = deriveAssociatedTokenAddress(USER, ASSETS.USDT.mint);
      const approval = { account, owner: USER, delegate: SAVINGS, ...ASSETS.USDT, amount: 1_000n };
      await world.land(world.sign([buildApproveChecked(approval)], user));
      return [buildOther(ASSETS.USDT.mint, USER, COLLECTOR), ...buildAllowanceSaving().slice(1)];
    },
    [savings],
    "fee_missing",
  ],
  ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map(
    (program): Forgery => [
      `the token only looks like USDC, of ${program}`,
      () => {
        const mint = toTestWallet("fake USDC").address;
        putAccount(world.chain, mint, program, encodeMint(null, 6));
        for (const owner of [STRANGER, SAVINGS, COLLECTOR]) {
          const address = deriveAssociatedTokenAddress(owner, mint, program);
          putTokens(world.chain, owner, mint, 1_000n, { program, address });
        }
        const [fee, saving] = [COLLECTOR, SAVINGS].map((to) => buildOther(mint, STRANGER, to, STRANGER, program));
        return [fee!, markPayment(STRANGER), saving!];
      },
      [stranger],
    ],
  ),
];

describe("a mark of the user's payment", () => {
  test.each(FORGERIES)("does not count on the chain and takes no claim: %s", async (...forgery) => {
    const [, build, signers, code = "invalid_transaction"] = forgery;
    for (const owner of [user, stranger]) await world.approve(owner, SAVINGS);
    const instructions = await build();
    await expect(world.post(world.sign(instructions, ...signers))).rejects.toMatchObject({ code });
    expect(await world.land(world.sign(instructions, ...signers))).toMatchObject({ error: null });
    for (const isFlushed of [false, true]) {
      if (isFlushed) await clearStore(world.deps);
      const { savedThrough, batches } = await readSpending();
      expect(savedThrough).toBeNull();
      // A pull that pays no saving is a small payment, which is added to this one.
      expect(batches[0]!.txValuesUsd[0]).toBeCloseTo(10.4, 2);
    }
    expect(await save((await readSpending()).batches[0]!, "allowance")).toMatchObject({ confirmed: true });
  });
});

/* The fee of deposits of USDC. What lands is compared with the accounts. */

describe("a deposit of USDC", () => {
  const RUNS = Number(process.env.FUZZ_RUNS ?? 40);
  /** Its fee is 2,500 units. */
  const DEPOSIT = 1_000_000n;

  beforeEach(async () => {
    world = await stageUsdc();
    await world.approve(user, SAVINGS);
  });

  const post = (instructions: InstructionLike[], ...signers: TestWallet[]) =>
    world.post(world.sign(instructions, ...signers)).then(({ status }) => status, readErrorCode);
  const deposit = (amount = DEPOSIT) => buildUsdcTransfer({ from: USER, to: SAVINGS }, amount);
  const pull = (keys: string[] = []) => buildUsdcTransfer({ from: USER, to: SAVINGS, by: SAVINGS }, DEPOSIT, keys);
  const payFee = (amount: bigint, by = USER) => buildUsdcTransfer({ from: USER, to: COLLECTOR, by }, amount);
  const open = () => buildCreateAssociatedTokenAccount({ payer: USER, owner: SAVINGS, mint: ASSETS.USDC.mint });

  test.each<[string, string, () => InstructionLike[], TestWallet[]]>([
    ["with its fee", "confirmed", () => [open(), deposit(), payFee(2_500n)], [user]],
    ["with one unit too little", "fee_missing", () => [open(), deposit(), payFee(2_499n)], [user]],
    ["in the unchecked form, without a fee", "fee_missing", () => [open(), toUnchecked(deposit())], [user]],
    ["by a delegate that names the owner", "confirmed", () => [payFee(2_500n, SAVINGS), pull([USER])], [user, savings]],
    [
      "by a delegate that does not name the owner",
      "invalid_transaction",
      () => [payFee(2_500n, SAVINGS), pull()],
      [savings],
    ],
    ["by a delegate without a fee", "fee_missing", () => [pull([USER])], [savings]],
    [
      "by a delegate that pays the owner one lamport, which counts as an exchange",
      "confirmed",
      () => [pull(), buildSystemTransfer(SAVINGS, USER, 1n)],
      [savings],
    ],
  ])("a deposit of USDC %s is %s", async (_caseName, code, list, signers) => {
    putTokens(world.chain, SAVINGS, ASSETS.USDC.mint, 0n);
    expect(await post(list(), ...signers)).toBe(code);
  });

  test("a deposit into an account that the transaction opens needs its fee", async () => {
    expect(await post([open(), deposit()], user)).toBe("fee_missing");
    expect(await post([open(), deposit(), payFee(2_500n)], user)).toBe("confirmed");
  });

  test("no order of instructions moves USDC into a service wallet without its fee", async () => {
    putTokens(world.chain, SAVINGS, ASSETS.USDC.mint, 0n);
    const coverage = { confirmed: 0, fee_missing: 0 };
    let runCount = 0;
    const owners = fc.constantFrom(USER, SAVINGS);
    const pieces = fc.shuffledSubarray([
      "deposit",
      "into fresh",
      "gift",
      "gift back",
      "fee",
      "low fee",
      "SOL",
    ] as const);
    const readUnits = (address: string, owner: string) => {
      const account = world.chain.getAccount(address);
      return account && readTokenOwner(account.data) === owner ? readTokenAmount(account.data) : 0n;
    };
    await fc.assert(
      fc.asyncProperty(pieces, owners, async (names, firstOwner) => {
        const fresh = toTestWallet(`fresh token account ${runCount++}`);
        const accounts = { source: deriveUsdcAccount(USER), destination: fresh.address, authority: USER };
        const build: Record<(typeof names)[number], () => InstructionLike> = {
          deposit,
          "into fresh": () => buildTransferChecked({ ...accounts, ...ASSETS.USDC, amount: DEPOSIT }),
          gift: () => buildGift(fresh.address, USER, SAVINGS),
          "gift back": () => buildGift(fresh.address, SAVINGS, USER),
          fee: () => payFee(2_500n),
          "low fee": () => payFee(2_499n),
          SOL: () => buildSystemTransfer(USER, stranger.address, 1n),
        };
        const readSum = () => readUnits(deriveUsdcAccount(SAVINGS), SAVINGS) + readUnits(fresh.address, SAVINGS);
        const readFees = () => readUnits(deriveUsdcAccount(COLLECTOR), COLLECTOR);
        const before = { sum: readSum(), fees: readFees() };
        const instructions = names.map((name) => build[name]());
        const signers = names.includes("gift back") ? [user, fresh, savings] : [user, fresh];
        const code = await post([...buildOpening(USER, fresh.address, firstOwner), ...instructions], ...signers);
        if (code in coverage) coverage[code as "confirmed"]++;
        const due = ((readSum() - before.sum) * 25n) / 10_000n;
        expect(readFees() - before.fees).toBeGreaterThanOrEqual(due);
      }),
      { numRuns: RUNS },
    );
    expect(Math.min(...Object.values(coverage))).toBeGreaterThan(RUNS / 20);
  });

  test("an account that is closed and opened again counts for its last owner and mint", async () => {
    putTokens(world.chain, SAVINGS, ASSETS.USDC.mint, 0n);
    const account = toTestWallet("an account of USDT");
    putTokens(world.chain, USER, ASSETS.USDT.mint, 0n, { address: account.address });
    const accounts = { source: account.address, destination: deriveUsdcAccount(SAVINGS), authority: USER };
    const fill = { source: deriveUsdcAccount(USER), destination: account.address, authority: USER };
    const reopen = [
      buildCloseAccount({ account: account.address, destination: USER, owner: USER }),
      ...buildOpening(USER, account.address, USER),
      buildTransferChecked({ ...fill, ...ASSETS.USDC, amount: DEPOSIT }),
      buildTransferChecked({ ...accounts, ...ASSETS.USDC, amount: DEPOSIT }),
    ];
    expect(await post(reopen, user, account)).toBe("fee_missing");
    expect(await post([...reopen, payFee(2_500n)], user, account)).toBe("confirmed");
  });
});
