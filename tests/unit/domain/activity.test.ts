import { describe, expect, test } from "vitest";
import {
  decodeActivity,
  findValuedAmounts,
  isWalletUntouched,
  type TokenBalance,
  type TransactionFigures,
} from "../../../lib/domain/activity";
import { ASSETS } from "../../../lib/domain/assets";
import type { Mark } from "../../../lib/domain/marks";
import { NO_INSTRUCTIONS } from "../../support/fixtures/no-instructions";
import { TOKEN_RENT_LAMPORTS } from "../../support/fixtures/rent";

const [ME, OTHER, COLLECTOR, ACCOUNT, PROGRAM] = ["me", "other", "collector", "my token account", "program"];
const FEE_LAMPORTS = 5_000n;

/** Creates a transaction's figures. `lamports` has each account's lamports before and after, the fee payer first. */
function createFigures(
  lamports: Record<string, [before: bigint, after: bigint]>,
  tokens: { before?: Partial<TokenBalance>[]; after?: Partial<TokenBalance>[] } = {},
): TransactionFigures {
  const toBalance = (fields: Partial<TokenBalance>): TokenBalance => {
    return { accountIndex: 0, mint: ASSETS.BTC.mint, owner: ME, amount: 0n, decimals: 8, ...fields };
  };
  return {
    accountKeys: Object.keys(lamports),
    feeLamports: FEE_LAMPORTS,
    preBalances: Object.values(lamports).map(([before]) => before),
    postBalances: Object.values(lamports).map(([, after]) => after),
    preTokenBalances: (tokens.before ?? []).map(toBalance),
    postTokenBalances: (tokens.after ?? []).map(toBalance),
    ...NO_INSTRUCTIONS,
  };
}

const decode = (figures: TransactionFigures, wallet = ME) => decodeActivity(figures, wallet, [COLLECTOR]);

describe("activity types", () => {
  const wrap = createFigures({
    [ME]: [10_000_000n, 9_000_000n - FEE_LAMPORTS],
    [OTHER]: [0n, 990_000n],
    [COLLECTOR]: [500n, 10_500n],
  });

  test.each<[Mark, boolean]>([
    [{ kind: "topup", value: "once" }, true],
    [{ kind: "through", value: "payment", after: "none" }, false],
  ])("reads %o in a saving's memo", (mark, isTopup) => {
    const markedWrap = { ...wrap, marks: [{ wallet: ME, mark }] };
    expect([decode(markedWrap).isTopup, decode(markedWrap, OTHER).isTopup]).toEqual([isTopup, isTopup]);
  });

  test("reports a saving to the payer and to the service wallet", () => {
    expect(decode(wrap)).toMatchObject({
      type: "round_up",
      solChangeLamports: -1_000_000n,
      networkFeeLamports: FEE_LAMPORTS,
      saving: { feeLamports: 10_000n },
    });
    expect(decode(wrap, OTHER)).toMatchObject({
      type: "round_up",
      solChangeLamports: 990_000n,
      networkFeeLamports: null,
      saving: { feeLamports: 10_000n },
    });
  });

  test("reports an app's payment with a saving as a saving to the payer and a deposit to the shop", () => {
    const shop = PROGRAM;
    const purchase = {
      ...createFigures({
        [ME]: [10_000_000n, 2_000_000n - FEE_LAMPORTS],
        [shop]: [1n, 7_000_001n],
        [OTHER]: [0n, 990_000n],
        [COLLECTOR]: [500n, 10_500n],
      }),
      movements: [
        { from: ME, to: shop, lamports: 7_000_000n },
        { from: ME, to: OTHER, lamports: 990_000n },
        { from: ME, to: COLLECTOR, lamports: 10_000n },
      ],
    };
    const [payer, saver, seller] = [decode(purchase), decode(purchase, OTHER), decode(purchase, shop)];
    expect(payer).toMatchObject({
      type: "round_up",
      solChangeLamports: -8_000_000n,
      saving: { lamports: 1_000_000n, feeLamports: 10_000n },
    });
    expect(saver).toMatchObject({
      type: "round_up",
      solChangeLamports: 990_000n,
      saving: { lamports: 990_000n, feeLamports: 10_000n },
    });
    expect(seller).toMatchObject({
      type: "deposit",
      solChangeLamports: 7_000_000n,
      saving: null,
    });
    const values = [payer, saver, seller].map((activity) => findValuedAmounts(activity)?.lamports);
    expect(values).toEqual([1_000_000n, 990_000n, 7_000_000n]);
  });

  test("recognises a saving with a fee of zero lamports, but not one that failed", () => {
    const movements = [
      { from: ME, to: OTHER, lamports: 300n },
      { from: ME, to: COLLECTOR, lamports: 0n },
    ];
    const smallWrap = createFigures({
      [ME]: [10_000_000n, 10_000_000n - 300n - FEE_LAMPORTS],
      [OTHER]: [900_000n, 900_300n],
      [COLLECTOR]: [500n, 500n],
    });
    expect(decode({ ...smallWrap, movements })).toMatchObject({
      type: "round_up",
      saving: { lamports: 300n, feeLamports: 0n },
    });
    const failed = createFigures({
      [ME]: [10_000_000n, 10_000_000n - FEE_LAMPORTS],
      [OTHER]: [900_000n, 900_000n],
      [COLLECTOR]: [500n, 500n],
    });
    expect(decode({ ...failed, movements })).toMatchObject({
      type: "other",
      saving: null,
    });
  });

  test("reports a deposit to the fee collector of a saving", () => {
    expect(decode(wrap, COLLECTOR)).toMatchObject({
      type: "deposit",
      solChangeLamports: 10_000n,
      saving: null,
    });
    const funding = createFigures({ [ME]: [10_000_000n, 9_000_000n - FEE_LAMPORTS], [COLLECTOR]: [0n, 1_000_000n] });
    expect(decode(funding)).toMatchObject({ type: "withdrawal", saving: null });
  });

  test("counts the rent of a token account opened by a swap as part of the SOL and reports it separately", () => {
    const swap = createFigures(
      { [ME]: [100_000_000n, 48_000_000n - TOKEN_RENT_LAMPORTS - FEE_LAMPORTS], [ACCOUNT]: [0n, TOKEN_RENT_LAMPORTS] },
      { after: [{ accountIndex: 1, amount: 77n }] },
    );
    expect(decode(swap)).toEqual({
      type: "swap",
      solChangeLamports: -52_000_000n - TOKEN_RENT_LAMPORTS,
      depositChangeLamports: TOKEN_RENT_LAMPORTS,
      rentFromOthersLamports: 0n,
      tokenChanges: [{ mint: ASSETS.BTC.mint, amount: 77n, decimals: 8 }],
      networkFeeLamports: FEE_LAMPORTS,
      saving: null,
      isTopup: false,
      referenceHash: null,
      pulledBy: null,
    });
    expect(findValuedAmounts(decode(swap))).toEqual({ lamports: 52_000_000n, tokens: [] });
  });

  test("reports sent tokens as a withdrawal even though closing the account returned SOL", () => {
    const tokenTransfer = createFigures(
      { [ME]: [1_000_000n, 1_000_000n + TOKEN_RENT_LAMPORTS - FEE_LAMPORTS], [ACCOUNT]: [TOKEN_RENT_LAMPORTS, 0n] },
      { before: [{ accountIndex: 1, amount: 77n }] },
    );
    expect(decode(tokenTransfer)).toMatchObject({
      type: "withdrawal",
      solChangeLamports: TOKEN_RENT_LAMPORTS,
      depositChangeLamports: -TOKEN_RENT_LAMPORTS,
    });
    expect(findValuedAmounts(decode(tokenTransfer))).toMatchObject({ lamports: 0n, tokens: [{ amount: 77n }] });
  });

  test("values a swap between two tokens by the sold token", () => {
    const tokenSwap = createFigures(
      { [ME]: [9_000n, 4_000n] },
      {
        before: [{ accountIndex: 1, amount: 10n }],
        after: [
          { accountIndex: 1, amount: 4n },
          { accountIndex: 2, mint: ASSETS.USDC.mint, amount: 500n, decimals: 6 },
        ],
      },
    );
    expect(decode(tokenSwap).type).toBe("swap");
    const [sold] = decode(tokenSwap).tokenChanges;
    expect(findValuedAmounts(decode(tokenSwap))).toEqual({ lamports: 0n, tokens: [{ ...sold, amount: 6n }] });
  });

  test("reports a token sold for SOL as a swap, valued by the token", () => {
    const sold = createFigures({ [ME]: [9_000n, 5_000_000n] }, { before: [{ accountIndex: 1, amount: 10n }] });
    expect(decode(sold)).toMatchObject({ type: "swap", solChangeLamports: 4_996_000n });
    expect(findValuedAmounts(decode(sold))).toMatchObject({ lamports: 0n, tokens: [{ amount: 10n }] });
  });

  test("reports a fee alone as other", () => {
    const failed = createFigures({ [ME]: [10_000n, 5_000n], [PROGRAM]: [1n, 1n] });
    expect(decode(failed)).toMatchObject({
      type: "other",
      solChangeLamports: 0n,
      networkFeeLamports: FEE_LAMPORTS,
      tokenChanges: [],
    });
    expect(isWalletUntouched(decode(failed))).toBe(false);
    const otherPayersTransaction = createFigures({ [OTHER]: [10_000n, 5_000n], [ME]: [7n, 7n] });
    expect(decode(otherPayersTransaction)).toMatchObject({ type: "other", networkFeeLamports: null });
    expect(isWalletUntouched(decode(otherPayersTransaction))).toBe(true);
  });
});
