import { describe, expect, test } from "vitest";
import { ASSETS } from "../../../../lib/domain/assets";
import {
  type Funds,
  planAffordableWithdrawal,
  type WithdrawalRequest,
} from "../../../../lib/domain/withdraw/withdraw-plan";
import type { FoundAccounts } from "../../../../lib/domain/withdraw/withdraw-sources";
import { type Source, toTargetKey } from "../../../../lib/domain/withdraw/withdrawal";
import { NO_PRIORITY_FEE } from "../../../../lib/solana/budget";
import { priceFlat } from "../../../support/fixtures/flat-fee";
import { EMPTY_RENT_LAMPORTS, TOKEN_RENT_LAMPORTS } from "../../../support/fixtures/rent";
import { toTestWallet } from "../../../support/fixtures/test-wallets";
import {
  HELD_TOKEN_ACCOUNT,
  NETWORK_FEE_LAMPORTS,
  WALLET_AND_DESTINATION,
} from "../../../support/fixtures/withdrawals";

const EVERYTHING: WithdrawalRequest = { asset: null, amount: null, keepRentMinimum: false };
const FUNDS: Funds = {
  balanceLamports: 10n ** 9n,
  destinationLamports: EMPTY_RENT_LAMPORTS,
  rentLamports: EMPTY_RENT_LAMPORTS,
  priority: NO_PRIORITY_FEE,
  priceTransaction: priceFlat,
};
const PRIORITY = { unitPrice: 1_000_000n, maxLamports: 100_000n };

interface SourceChanges extends Partial<Source> {
  /** The lamports that opening the destination's account costs, or null if the account exists. */
  opening?: bigint | null;
}

function createAccounts(list: SourceChanges[]): FoundAccounts {
  const sources = list.map(({ opening: _, ...source }, i) => ({
    address: toTestWallet(`account ${i}`).address,
    mint: toTestWallet(`mint ${i}`).address,
    ...HELD_TOKEN_ACCOUNT,
    ...source,
  }));
  const targets = new Map(
    sources.map((source, i) => {
      const target = { account: toTestWallet(`target ${i}`).address, openingLamports: list[i]!.opening ?? null };
      return [toTargetKey(source), target] as const;
    }),
  );
  return { sources, targets, stuckTokens: [], unreadCount: 0 };
}

/** Plans a withdrawal of everything from these accounts. `changes` replaces fields of the accounts, request and funds. */
const computePlan = (list: SourceChanges[], changes: Partial<FoundAccounts & WithdrawalRequest & Funds> = {}) =>
  planAffordableWithdrawal(
    WALLET_AND_DESTINATION,
    { ...createAccounts(list), ...changes },
    { ...EVERYTHING, ...changes },
    { ...FUNDS, ...changes },
  );

const btc = { mint: ASSETS.BTC.mint };
const worthless = { isClosable: false };

describe("the priority fee", () => {
  test("is paid only if the wallet's SOL suffices", () => {
    const { withdrawal } = computePlan([], { priority: PRIORITY });
    expect(withdrawal.networkFeeLamports).toBeGreaterThan(NETWORK_FEE_LAMPORTS);
    const balanceLamports = NETWORK_FEE_LAMPORTS + EMPTY_RENT_LAMPORTS;
    expect(computePlan([], { balanceLamports, priority: PRIORITY })).toMatchObject({
      reason: null,
      missingLamports: 0n,
      withdrawal: { networkFeeLamports: NETWORK_FEE_LAMPORTS, sentLamports: EMPTY_RENT_LAMPORTS },
    });
  });

  test("is not part of the missing SOL if the wallet cannot pay even the base fee", () => {
    expect(computePlan([btc], { balanceLamports: 0n, priority: PRIORITY })).toMatchObject({
      reason: expect.stringMatching(/lacks 655240 lamports.* stays yours\.$/),
      missingLamports: EMPTY_RENT_LAMPORTS + NETWORK_FEE_LAMPORTS,
    });
  });
});

describe("a wallet that cannot pay for sending all of its tokens", () => {
  const costlyEth = { mint: ASSETS.ETH.mint, isClosable: false, opening: TOKEN_RENT_LAMPORTS };

  test("leaves behind the tokens that cost more", () => {
    const list = [{ ...btc, isClosable: false }, costlyEth];
    expect(computePlan(list, { balanceLamports: NETWORK_FEE_LAMPORTS + EMPTY_RENT_LAMPORTS })).toMatchObject({
      reason: null,
      stuckTokens: [{ mint: ASSETS.ETH.mint }],
      isComplete: true,
      withdrawal: { sentLamports: EMPTY_RENT_LAMPORTS },
    });
    const { missingLamports } = computePlan(list, { balanceLamports: 0n });
    expect(missingLamports).toBe(EMPTY_RENT_LAMPORTS + NETWORK_FEE_LAMPORTS);
  });

  test("returns the SOL that sending its tokens needs, even if sending SOL alone needed less", () => {
    const { missingLamports } = computePlan([costlyEth], { balanceLamports: 0n });
    expect(missingLamports).toBe(NETWORK_FEE_LAMPORTS + TOKEN_RENT_LAMPORTS);
  });

  test("lists the tokens that stay, stuck accounts first", () => {
    const frozenTokens = [{ mint: "frozen", amount: 1n, decimals: 0, reason: "frozen" }];
    const costlyToken = { isClosable: false, opening: TOKEN_RENT_LAMPORTS };
    const { stuckTokens } = computePlan([btc, costlyToken], { stuckTokens: frozenTokens });
    expect(stuckTokens.map(({ mint }) => mint)).toEqual(["frozen", toTestWallet("mint 1").address]);
  });
});

describe("a wallet with more token accounts than one build moves", () => {
  const repeatSource = (count: number, overrides: SourceChanges = {}) =>
    Array.from({ length: count }, () => ({ ...overrides }));

  test("moves supported assets first, then accounts that return a deposit", () => {
    const { moves, ...first } = computePlan([...repeatSource(60), btc]);
    expect(moves).toHaveLength(60);
    expect(moves.at(-1)!.mint).toBe(btc.mint);
    expect(moves[58]!.mint).toBe(toTestWallet("mint 58").address);
    expect(first).toMatchObject({ isComplete: false, stuckTokens: [], withdrawal: { sentLamports: 0n } });
    const { stuckTokens: dropped, ...all } = computePlan([...repeatSource(60, worthless), {}, btc]);
    expect(all.moves.slice(-2).map(({ mint }) => mint)).toEqual([toTestWallet("mint 60").address, btc.mint]);
    expect(dropped.map(({ mint }) => mint)).toEqual([toTestWallet("mint 58").address, toTestWallet("mint 59").address]);
    expect(dropped[0]).toEqual({
      mint: toTestWallet("mint 58").address,
      amount: 5n,
      decimals: 6,
      reason:
        "One withdrawal does not hold more tokens. Supported assets, dollar tokens and what returns a deposit go first.",
    });
    expect(all).toMatchObject({ isComplete: true, withdrawal: { remainingLamports: 0n } });
  });

  test("moves a token that returns exactly its cost before worthless ones", () => {
    const breakEven = { opening: TOKEN_RENT_LAMPORTS };
    const { moves, isComplete } = computePlan([...repeatSource(60, worthless), breakEven]);
    expect(moves.some(({ mint }) => mint === toTestWallet("mint 60").address)).toBe(true);
    expect(isComplete).toBe(true);
  });

  test("leaves unread accounts to a later build if this one returns the deposits that pay for it", () => {
    const withUnread = (list: SourceChanges[]) => computePlan(list, { unreadCount: 3 });
    expect(withUnread([{}])).toMatchObject({ isComplete: false, withdrawal: { sentLamports: 0n } });
    expect(withUnread([btc])).toMatchObject({ isComplete: false, withdrawal: { sentLamports: 0n } });
    expect(withUnread([{}, worthless])).toMatchObject({ isComplete: false, withdrawal: { sentLamports: 0n } });
    expect(withUnread([worthless])).toMatchObject({ isComplete: true, withdrawal: { remainingLamports: 0n } });
  });
});

test("a wallet that holds exactly one network fee has nothing to withdraw", () => {
  const { reason } = computePlan([], { balanceLamports: NETWORK_FEE_LAMPORTS });
  expect(reason).toBe("The network fee would use up the balance; there is nothing left to withdraw.");
});

describe("a withdrawal of one asset", () => {
  test("sends the amount and no SOL", () => {
    expect(computePlan([btc], { asset: "BTC", amount: 3n })).toMatchObject({
      reason: null,
      moves: [{ sentTokens: { amount: 3n } }],
      withdrawal: { sentLamports: 0n },
    });
  });

  test("is refused for more than the balance with both amounts in the reason", () => {
    const twoAccounts = [btc, { ...btc, address: toTestWallet("second").address }];
    const tooMuch = computePlan(twoAccounts, { asset: "BTC", amount: 11n });
    expect(tooMuch.reason).toContain("11 asked for, 10 available (base units of BTC)");
    expect(computePlan(twoAccounts, { asset: "BTC", amount: 10n }).reason).toBeNull();
    const sol = computePlan([], { asset: "SOL", amount: 10n ** 9n });
    const available = `${10n ** 9n - NETWORK_FEE_LAMPORTS} available (lamports, network fee deducted)`;
    expect(sol.reason).toContain(`${10n ** 9n} asked for, ${available}`);
  });

  test("is refused without the network fee, with the hint that closed accounts would pay it", () => {
    expect(computePlan([btc], { asset: "BTC", balanceLamports: 0n }).reason).toMatch(/which pay for it\.$/);
  });

  test("of SOL leaves nothing or at least the rent minimum", () => {
    const explainPlan = (amount: bigint, balanceLamports = 10n ** 9n) =>
      computePlan([], { asset: "SOL", amount, balanceLamports }).reason;
    const most = 10n ** 9n - NETWORK_FEE_LAMPORTS - EMPTY_RENT_LAMPORTS;
    expect([explainPlan(most), explainPlan(10n ** 9n - NETWORK_FEE_LAMPORTS)]).toEqual([null, null]);
    const rule = `A wallet keeps no SOL or at least ${EMPTY_RENT_LAMPORTS} lamports (the rent-exempt minimum): withdraw`;
    expect(explainPlan(most + 1n)).toBe(`${rule} at most ${most} lamports or all of it.`);
    expect(explainPlan(1n, NETWORK_FEE_LAMPORTS + EMPTY_RENT_LAMPORTS)).toBe(`${rule} all of it.`);
  });

  test("of SOL unwraps all wrapped SOL and sends the amount", () => {
    const wrapped = { mint: ASSETS.SOL.mint, isNative: true };
    expect(computePlan([wrapped], { asset: "SOL", amount: 700_000n })).toMatchObject({
      reason: null,
      moves: [{ returnedLamports: TOKEN_RENT_LAMPORTS }],
      withdrawal: { sentLamports: 700_000n },
    });
    expect(computePlan([wrapped], { asset: "SOL" }).withdrawal.remainingLamports).toBe(0n);
  });
});

describe("a withdrawal that keeps the rent minimum", () => {
  const keepRentMinimum = true;

  test("sends no SOL to a new destination that would get less than the rent minimum", () => {
    const planSent = (lamports: bigint, destinationLamports: bigint) => {
      const balanceLamports = 2n * NETWORK_FEE_LAMPORTS + EMPTY_RENT_LAMPORTS + lamports;
      return computePlan([btc], { keepRentMinimum, balanceLamports, destinationLamports }).withdrawal.sentLamports;
    };
    expect(planSent(EMPTY_RENT_LAMPORTS - 1n, 0n)).toBe(0n);
    expect(planSent(EMPTY_RENT_LAMPORTS, 0n)).toBe(EMPTY_RENT_LAMPORTS);
    expect(planSent(EMPTY_RENT_LAMPORTS - 1n, 1n)).toBe(EMPTY_RENT_LAMPORTS - 1n);
  });

  test("refuses to send too little SOL to a new destination", () => {
    const { reason } = computePlan([], { asset: "SOL", amount: 5n, keepRentMinimum, destinationLamports: 0n });
    expect(reason).toContain("must receive at least");
  });

  test("returns the SOL that is missing to leave the token accounts open", () => {
    const opening = { ...btc, opening: TOKEN_RENT_LAMPORTS };
    const enough = NETWORK_FEE_LAMPORTS + TOKEN_RENT_LAMPORTS + EMPTY_RENT_LAMPORTS;
    const open = computePlan([opening], { keepRentMinimum, balanceLamports: enough });
    expect(open).toMatchObject({ reason: null, missingLamports: 0n, withdrawal: { returnedLamports: 0n } });
    const closed = computePlan([opening], { keepRentMinimum, balanceLamports: enough - 7n });
    expect(closed).toMatchObject({
      reason: null,
      missingLamports: 7n,
      withdrawal: { returnedLamports: TOKEN_RENT_LAMPORTS },
    });
  });
});
