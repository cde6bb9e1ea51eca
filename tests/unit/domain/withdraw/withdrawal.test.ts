import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  buildInstructions,
  type Move,
  planMoves,
  planWithdrawal,
  type SolPart,
  type Source,
  type Target,
  toTargetKey,
  type WithdrawalTerms,
} from "../../../../lib/domain/withdraw/withdrawal";
import { buildBudgetInstructions, NO_PRIORITY_FEE } from "../../../../lib/solana/budget";
import { toBase64 } from "../../../../lib/solana/bytes";
import { buildSetComputeUnitLimit } from "../../../../lib/solana/compute-budget";
import type { InstructionLike } from "../../../../lib/solana/instructions";
import { buildMemo } from "../../../../lib/solana/memo";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import { readTransaction } from "../../../../lib/solana/read-transaction";
import { buildSystemTransfer } from "../../../../lib/solana/system-instructions";
import { buildCloseAccount, buildCreateAssociatedTokenAccount } from "../../../../lib/solana/token-instructions";
import { composeTransaction } from "../../../../lib/solana/transactions";
import { createBlockhash } from "../../../support/fakes/fake-deps";
import { computeFlatFee, priceFlat } from "../../../support/fixtures/flat-fee";
import { EMPTY_RENT_LAMPORTS, TOKEN_RENT_LAMPORTS } from "../../../support/fixtures/rent";
import { toTestWallet } from "../../../support/fixtures/test-wallets";
import {
  HELD_TOKEN_ACCOUNT,
  NETWORK_FEE_LAMPORTS,
  WALLET_AND_DESTINATION,
} from "../../../support/fixtures/withdrawals";

const addresses = new Map<string, string>();
/** Returns a cached address, because creating a key pair takes longer than any of these tests. */
function toAddress(name: string, i: number): string {
  const label = `${name} ${i}`;
  const address = addresses.get(label) ?? toTestWallet(label).address;
  addresses.set(label, address);
  return address;
}

/** Token accounts of up to eight mints, with several accounts per mint, and the recipient's accounts. */
const anyHoldings = fc
  .array(
    fc.record({
      mintIndex: fc.nat({ max: 7 }),
      amount: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 2n ** 60n })),
      lamports: fc.bigInt({ min: 1n, max: 10n ** 10n }),
      isNative: fc.boolean(),
      isClosable: fc.boolean(),
    }),
    { maxLength: 24 },
  )
  .chain((list) =>
    fc.record({ list: fc.constant(list), exists: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }) }),
  )
  .map(({ list, exists }) => {
    const sources: Source[] = list.map(({ mintIndex, ...rest }, i) => ({
      address: toAddress("account", i),
      mint: toAddress("mint", mintIndex),
      tokenProgram: mintIndex % 2 ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM,
      decimals: 6,
      ...rest,
    }));
    const targets = new Map<string, Target>(
      sources.map((source) => {
        const index = Array.from({ length: 8 }, (_, i) => toAddress("mint", i)).indexOf(source.mint);
        const openingLamports = exists[index] ? null : TOKEN_RENT_LAMPORTS;
        return [toTargetKey(source), { account: toAddress("target", index), openingLamports }];
      }),
    );
    return { sources, targets };
  });

const { wallet, destination } = WALLET_AND_DESTINATION;
const planSending = (
  sources: Source[],
  targets: Map<string, Target>,
  amount: bigint | null,
  shouldCloseAccounts = true,
) => planMoves(WALLET_AND_DESTINATION, sources, targets, amount, { shouldCloseAccounts });
const planLamports = (moves: Move[], sol: SolPart, terms: Partial<WithdrawalTerms> & { balanceLamports: bigint }) => {
  const defaults = {
    rentLamports: EMPTY_RENT_LAMPORTS,
    priority: NO_PRIORITY_FEE,
    priceTransaction: priceFlat,
    keepRentMinimum: false,
  };
  return planWithdrawal(WALLET_AND_DESTINATION, moves, sol, { ...defaults, ...terms });
};
const compose = (instructions: InstructionLike[]) =>
  composeTransaction({ payer: wallet, instructions, blockhash: createBlockhash(1) }).bytes;

const sumAmounts = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

describe("planMoves", () => {
  test("sends all tokens, closes every closable account and opens each missing account once", () => {
    fc.assert(
      fc.property(anyHoldings, ({ sources, targets }) => {
        const moves = planSending(sources, targets, null);
        const tokens = sources.filter(({ isNative }) => !isNative);
        expect(sumAmounts(moves.map(({ sentTokens }) => sentTokens?.amount ?? 0n))).toBe(
          sumAmounts(tokens.map(({ amount }) => amount)),
        );
        const closed = sources.filter(({ isClosable }) => isClosable);
        expect(sumAmounts(moves.map((move) => move.returnedLamports))).toBe(
          sumAmounts(closed.map(({ lamports }) => lamports)),
        );
        const missing = new Set(
          tokens
            .filter((token) => token.amount > 0n && targets.get(toTargetKey(token))!.openingLamports !== null)
            .map(toTargetKey),
        );
        expect(sumAmounts(moves.map((move) => move.openingLamports))).toBe(BigInt(missing.size) * TOKEN_RENT_LAMPORTS);
      }),
    );
  });

  test("sends exactly the amount, or everything if the amount is larger", () => {
    fc.assert(
      fc.property(anyHoldings, fc.bigInt({ min: 1n, max: 2n ** 62n }), ({ sources, targets }, amount) => {
        const tokens = sources.filter(({ isNative }) => !isNative);
        const moves = planSending(tokens, targets, amount);
        const available = sumAmounts(tokens.map((token) => token.amount));
        const sentAmount = sumAmounts(moves.map(({ sentTokens }) => sentTokens!.amount));
        expect(sentAmount === amount || (sentAmount === available && available < amount)).toBe(true);
      }),
    );
  });

  /** The recipient has an account for its mint. */
  const heldToken: Source = { ...HELD_TOKEN_ACCOUNT, address: toAddress("account", 0), mint: toAddress("mint", 0) };
  const targets = new Map<string, Target>([
    [toTargetKey(heldToken), { account: toAddress("target", 0), openingLamports: null }],
  ]);

  test("does not close an account whose tokens have no destination", () => {
    expect(planSending([heldToken], new Map(), null)).toEqual([]);
  });

  test("closes a token account only if the withdrawal empties it", () => {
    const planMove = (amount: bigint | null) => {
      const [move] = planSending([heldToken], targets, amount);
      return [move!.returnedLamports, move!.instructions.length];
    };
    expect([null, 5n, 4n].map(planMove)).toEqual([
      [TOKEN_RENT_LAMPORTS, 2],
      [TOKEN_RENT_LAMPORTS, 2],
      [0n, 1],
    ]);
  });

  test("leaves emptied token accounts open on request, but still unwraps SOL", () => {
    const wrapped = { ...heldToken, address: toAddress("account", 1), mint: toAddress("mint", 1), isNative: true };
    const empty = { ...heldToken, address: toAddress("account", 2), amount: 0n };
    expect(planSending([heldToken, wrapped, empty], targets, null, false)).toMatchObject([
      { sentTokens: { amount: 5n }, returnedLamports: 0n },
      { sentTokens: null, returnedLamports: TOKEN_RENT_LAMPORTS },
    ]);
  });

  test("opens a missing account once, directly before the first transfer into it", () => {
    const opening = { ...heldToken, mint: toAddress("mint", 1) };
    const sources = [opening, { ...opening, address: toAddress("account", 1) }, heldToken];
    const missing = { account: toAddress("target", 1), openingLamports: TOKEN_RENT_LAMPORTS };
    const moves = planSending(sources, new Map([...targets, [toTargetKey(opening), missing]]), null);
    expect(moves).toMatchObject([
      { mint: heldToken.mint, openingLamports: 0n },
      { mint: opening.mint, openingLamports: TOKEN_RENT_LAMPORTS },
      { mint: opening.mint, openingLamports: 0n },
    ]);
    expect(moves.map(({ instructions }) => instructions.length)).toEqual([2, 3, 2]);
    expect(moves[1]!.instructions[0]).toEqual(
      buildCreateAssociatedTokenAccount({ payer: wallet, owner: destination, mint: opening.mint }, TOKEN_PROGRAM),
    );
  });

  test("takes a partial amount from the first accounts with tokens", () => {
    const empty = { ...heldToken, address: toAddress("account", 1), amount: 0n };
    const last = { ...heldToken, address: toAddress("account", 2) };
    expect(planSending([empty, heldToken, last], targets, 5n)).toMatchObject([{ sentTokens: { amount: 5n } }]);
    expect(planSending([empty, heldToken, last], targets, 7n)).toMatchObject([
      { sentTokens: { amount: 5n }, returnedLamports: TOKEN_RENT_LAMPORTS },
      { sentTokens: { amount: 2n }, returnedLamports: 0n },
    ]);
  });
});

describe("planWithdrawal", () => {
  const anySolPart: fc.Arbitrary<SolPart> = fc.oneof(
    fc.constant<SolPart>("all"),
    fc.constant<SolPart>("none"),
    fc.bigInt({ min: 1n, max: 10n ** 12n }),
  );
  const anyUnitPrice = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 10n ** 7n }));
  const anyFunds = fc.record({
    balanceLamports: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    priority: fc.record({ unitPrice: anyUnitPrice, maxLamports: fc.constant(100_000n) }),
  });

  test("conserves lamports and keeps every transaction within its size limit", () => {
    fc.assert(
      fc.property(anyHoldings, anySolPart, anyFunds, ({ sources, targets }, sol, funds) => {
        const moves = planSending(sources, targets, null);
        const plan = planLamports(moves, sol, funds);
        expect(plan.remainingLamports + plan.sentLamports + plan.networkFeeLamports + plan.depositLamports).toBe(
          funds.balanceLamports + plan.returnedLamports,
        );
        if (funds.priority.unitPrice === 0n)
          expect(plan.networkFeeLamports).toBe(NETWORK_FEE_LAMPORTS * BigInt(plan.groups.length));
        expect(plan.networkFeeLamports).toBe(
          sumAmounts(plan.budgets.map(({ networkFeeLamports }) => networkFeeLamports)),
        );
        expect(plan.groups.flat()).toEqual(moves);
        for (const [i, instructions] of buildInstructions(WALLET_AND_DESTINATION, plan).entries()) {
          const bytes = compose(instructions);
          const { message } = readTransaction(toBase64(bytes));
          const feeLamports = computeFlatFee(message.serialize());
          // A transfer of SOL that is left out is part of the planned fee.
          if (plan.sentLamports > 0n || sol === "none") expect(feeLamports).toBe(plan.budgets[i]!.networkFeeLamports);
          else expect(feeLamports <= plan.budgets[i]!.networkFeeLamports).toBe(true);
          expect(bytes.length).toBeLessThanOrEqual(1_232);
          expect(bytes[0]).toBe(1);
        }
        if (sol === "all" && plan.missingLamports === 0n) expect(plan.remainingLamports).toBe(0n);
      }),
    );
  });

  test("returns exactly the lamports that are missing", () => {
    fc.assert(
      fc.property(anyHoldings, anyFunds, ({ sources, targets }, { balanceLamports, priority }) => {
        const moves = planSending(sources, targets, null);
        const findMissing = (lamports: bigint) =>
          planLamports(moves, "all", { priority, balanceLamports: lamports }).missingLamports;
        const missing = findMissing(balanceLamports);
        fc.pre(missing > 0n);
        expect(findMissing(balanceLamports + missing)).toBe(0n);
        expect(findMissing(balanceLamports + missing - 1n)).toBe(1n);
      }),
    );
  });

  test("leaves either the rent minimum or nothing if it sends no SOL", () => {
    const place = { address: toAddress("account", 0), mint: toAddress("mint", 1) };
    const source = { ...HELD_TOKEN_ACCOUNT, ...place, isClosable: false };
    const target = { account: toAddress("target", 1), openingLamports: TOKEN_RENT_LAMPORTS };
    const moves = planSending([source], new Map([[toTargetKey(source), target]]), null);
    const findMissingFor = (remainingLamports: bigint) =>
      planLamports(moves, "none", {
        balanceLamports: NETWORK_FEE_LAMPORTS + TOKEN_RENT_LAMPORTS + remainingLamports,
      }).missingLamports;
    expect([EMPTY_RENT_LAMPORTS, EMPTY_RENT_LAMPORTS - 1n, 0n].map(findMissingFor)).toEqual([0n, 1n, 0n]);
  });

  /** A token account whose withdrawal opens the recipient's account and returns its own deposit. */
  const returningMove: Move = {
    mint: toAddress("mint", 0),
    instructions: [],
    sentTokens: null,
    openingLamports: TOKEN_RENT_LAMPORTS,
    returnedLamports: TOKEN_RENT_LAMPORTS,
  };

  test("needs the SOL for a new account before the deposit of the old one returns", () => {
    const planForBalance = (balanceLamports: bigint) => planLamports([returningMove], "all", { balanceLamports });
    expect(planForBalance(NETWORK_FEE_LAMPORTS + TOKEN_RENT_LAMPORTS).missingLamports).toBe(0n);
    expect(planForBalance(NETWORK_FEE_LAMPORTS + TOKEN_RENT_LAMPORTS - 1n).missingLamports).toBe(1n);
    expect(planForBalance(NETWORK_FEE_LAMPORTS + EMPTY_RENT_LAMPORTS)).toMatchObject({
      missingLamports: TOKEN_RENT_LAMPORTS - EMPTY_RENT_LAMPORTS,
      sentLamports: EMPTY_RENT_LAMPORTS,
    });
  });

  /** Creates moves that each close one account and carry a memo of this length. */
  const createClosingMoves = (count: number, memoLength: number): Move[] =>
    Array.from({ length: count }, (_, i) => ({
      ...returningMove,
      instructions: [
        buildCloseAccount({ account: toAddress("account", i), destination: wallet, owner: wallet }),
        buildMemo("x".repeat(memoLength), wallet),
      ],
      openingLamports: 0n,
      returnedLamports: 0n,
    }));

  test("keeps the rent minimum between two transactions", () => {
    const [first, ...rest] = createClosingMoves(8, 100);
    const plan = planLamports([{ ...first!, openingLamports: TOKEN_RENT_LAMPORTS }, ...rest], "all", {
      balanceLamports: NETWORK_FEE_LAMPORTS + TOKEN_RENT_LAMPORTS + NETWORK_FEE_LAMPORTS,
    });
    expect(plan.groups).toHaveLength(2);
    expect(plan.missingLamports).toBe(EMPTY_RENT_LAMPORTS - NETWORK_FEE_LAMPORTS);
  });

  test.each<SolPart>([5n, "none"])("sends the SOL in the last transaction only: %s", (sol) => {
    const priority = { unitPrice: 1_000_000n, maxLamports: 100_000n };
    for (let length = 60; length < 200; length += 7) {
      const moves = createClosingMoves(20, length);
      const plan = planLamports(moves, sol, { balanceLamports: 10n ** 9n, priority });
      expect(plan.groups.length).toBeGreaterThan(1);
      expect(plan.groups.flat()).toEqual(moves);
      expect(plan.groups.every((group) => group.length > 0)).toBe(true);
      const transfers = sol === "none" ? [] : [buildSystemTransfer(wallet, destination, sol as bigint)];
      for (const [i, instructions] of buildInstructions(WALLET_AND_DESTINATION, plan).entries()) {
        const lastTransfers = i === plan.groups.length - 1 ? transfers : [];
        const expectedInstructions = [...plan.groups[i]!.flatMap((move) => move.instructions), ...lastTransfers];
        expect(plan.budgets[i]).toEqual(priceFlat(expectedInstructions, priority));
        expect(instructions).toEqual([...buildBudgetInstructions(plan.budgets[i]!), ...expectedInstructions]);
        compose(instructions);
      }
    }
  });

  test("keeps the rent minimum and one later fee in the wallet on request", () => {
    const planKeeping = (moves: Move[], balanceLamports: bigint) =>
      planLamports(moves, "all", { balanceLamports, keepRentMinimum: true });
    expect(planKeeping([returningMove], 10_000_000n)).toMatchObject({
      sentLamports: 10_000_000n - 2n * NETWORK_FEE_LAMPORTS - EMPTY_RENT_LAMPORTS,
      remainingLamports: EMPTY_RENT_LAMPORTS + NETWORK_FEE_LAMPORTS,
      missingLamports: 0n,
    });
    const poor = { ...returningMove, returnedLamports: 0n };
    const planRemaining = (remainingLamports: bigint) => {
      const plan = planKeeping([poor], NETWORK_FEE_LAMPORTS + TOKEN_RENT_LAMPORTS + remainingLamports);
      return [plan.sentLamports, plan.missingLamports];
    };
    const keptLamports = EMPTY_RENT_LAMPORTS + NETWORK_FEE_LAMPORTS;
    expect(planRemaining(0n)).toEqual([0n, EMPTY_RENT_LAMPORTS]);
    expect(planRemaining(EMPTY_RENT_LAMPORTS - 1n)).toEqual([0n, 1n]);
    expect(planRemaining(EMPTY_RENT_LAMPORTS)).toEqual([0n, 0n]);
    expect(planRemaining(keptLamports)).toEqual([0n, 0n]);
    expect(planRemaining(keptLamports + 1n)).toEqual([1n, 0n]);
    expect(planKeeping([], NETWORK_FEE_LAMPORTS).missingLamports).toBe(EMPTY_RENT_LAMPORTS);
  });

  test("plans one transaction if only SOL is sent, and none if nothing is sent", () => {
    const funds = { balanceLamports: 10n ** 9n };
    expect(planLamports([], "none", funds)).toMatchObject({ groups: [], networkFeeLamports: 0n, sentLamports: 0n });
    const plan = planLamports([], 5n, funds);
    expect(plan).toMatchObject({
      groups: [[]],
      networkFeeLamports: NETWORK_FEE_LAMPORTS,
      sentLamports: 5n,
      remainingLamports: 10n ** 9n - NETWORK_FEE_LAMPORTS - 5n,
    });
    const limit = buildSetComputeUnitLimit(450);
    const transfer = buildSystemTransfer(wallet, destination, 5n);
    expect(buildInstructions(WALLET_AND_DESTINATION, plan)).toEqual([[limit, transfer]]);
    expect(buildInstructions(WALLET_AND_DESTINATION, { ...plan, sentLamports: 0n })).toEqual([
      [buildSetComputeUnitLimit(300)],
    ]);
  });
});
