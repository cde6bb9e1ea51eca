import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ASSETS, OTHER_DOLLARS } from "@/lib/domain/assets";
import { decodeSpending, type LeftOutReason, listMarksSetBy, type Payment } from "@/lib/domain/spending/spending";
import { encodeUtf8 } from "@/lib/solana/bytes";
import { toDataView } from "@/lib/solana/instructions";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  JUPITER_PROGRAM,
  LIGHTHOUSE_PROGRAM,
  MEMO_PROGRAM,
  NATIVE_MINT,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "@/lib/solana/programs";
import { isExactRent } from "@/lib/solana/rent";
import { TIP_ACCOUNTS } from "@/lib/solana/tip-accounts";
import { TOKEN_ACCOUNT_BYTES } from "@/lib/solana/token-accounts";
import {
  buildTransactionAnswer,
  createAccount,
  decodeFigures,
  paySol,
  type ScriptInstruction,
  type TransactionScript,
} from "../../../support/fixtures/mainnet-transaction";
import { computeMainnetRent } from "../../../support/fixtures/rent";
import { toTestWallet } from "../../../support/fixtures/test-wallets";

const toKey = (label: string) => toTestWallet(`spending ${label}`).address;
const [ME, SHOP, FRIEND] = [toKey("me"), toKey("shop"), toKey("friend")];
const [SERVICE, COLLECTOR, POOL] = [toKey("service"), toKey("collector"), toKey("pool")];
const [MY_USDC, SHOP_USDC, MY_OTHER] = [toKey("my usdc"), toKey("shop usdc"), toKey("my other")];
const [COIN, STAKE, SERVICE_WSOL] = [toKey("coin"), toKey("stake"), toKey("service wrapped sol")];
const FRIEND_COIN = toKey("friend coin");
const METADATA_PROGRAM = "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s";
const TIP = TIP_ACCOUNTS[0]!;
const SOL = 1_000_000_000;
/** The rent in lamports for this many bytes before September 2026. Source: SIMD-0437. */
const computeOldRent = (bytes: number) => (128 + bytes) * 6_960;
const computeRent = (bytes: number) => Number(computeMainnetRent(bytes));
const RENT = computeRent(TOKEN_ACCOUNT_BYTES);
const FEE = 5_000;
/** The lamports of a token account, before and after. */
const OPEN: [number, number] = [RENT, RENT];
const USDC = { mint: ASSETS.USDC.mint, decimals: 6 };
const WRAPPED_SOL = { mint: NATIVE_MINT, decimals: 9 };

const DELEGATION: ScriptInstruction = { program: STAKE_PROGRAM, accounts: [STAKE, ME] };
const OPENS_SHOP_USDC: ScriptInstruction = {
  program: ASSOCIATED_TOKEN_PROGRAM,
  accounts: [ME, SHOP_USDC],
  data: Uint8Array.of(1),
};

const context = { wallet: ME, isServiceWallet: (address: string) => address === SERVICE, feeCollectors: [COLLECTOR] };
/** Encodes createAccountWithSeed: tag, base, seed of 4 bytes, lamports, space, owner. */
const createSeededAccount = (from: string, account: string, lamports: number, space: number): ScriptInstruction => {
  const data = new Uint8Array(4 + 32 + 8 + 4 + 8 + 8 + 32);
  const view = toDataView(data);
  view.setUint32(0, 3, true);
  view.setBigUint64(36, 4n, true);
  view.setBigUint64(48, BigInt(lamports), true);
  view.setBigUint64(56, BigInt(space), true);
  return { program: SYSTEM_PROGRAM, accounts: [from, account], data };
};
/** Creates an account as Metaplex does: fund, allocate, assign. */
const createMetaplexAccount = (from: string, account: string, bytes: number): ScriptInstruction[] => [
  paySol(from, account, computeRent(bytes)),
  ...[8, 1].map((tag) => ({ program: SYSTEM_PROGRAM, accounts: [account], data: new Uint8Array(36).fill(tag, 0, 1) })),
];
const callToken = (tag: number, accounts: string[], program = TOKEN_PROGRAM): ScriptInstruction => {
  return { program, accounts, data: Uint8Array.of(tag, 0, 0, 0, 0, 0, 0, 0, 0) };
};
const decodeScript = async (script: TransactionScript) =>
  decodeSpending(await decodeFigures(buildTransactionAnswer(script)), context);
const createUsdc = (before?: number, after?: number) => ({ account: MY_USDC, owner: ME, ...USDC, before, after });
const createShopUsdc = (before?: number, after?: number) => {
  return { account: SHOP_USDC, owner: SHOP, ...USDC, before, after };
};

/** Swaps 0.1 SOL into 20 USDC for a shop and `dust` base units for the wallet. */
const swapAndPay = (dust: number, { mint, decimals } = USDC): TransactionScript => ({
  accounts: { [ME]: [SOL, 0.9 * SOL - FEE], [POOL]: [SOL, 1.1 * SOL], [MY_OTHER]: OPEN, [SHOP_USDC]: OPEN },
  instructions: [{ program: JUPITER_PROGRAM, accounts: [ME, POOL, MY_OTHER, SHOP_USDC] }],
  inner: [{ index: 0, instructions: [paySol(ME, POOL, 0.1 * SOL)] }],
  tokens: [{ account: MY_OTHER, owner: ME, mint, decimals, before: 0, after: dust }, createShopUsdc(0, 20_000_000)],
});
/** Sells USDC for SOL from one account, which the sale empties. */
const sellTo = (seller: string, lamports: number, signerCount = 1): TransactionScript => ({
  accounts: {
    [ME]: [SOL, SOL - signerCount * FEE + lamports],
    [seller]: [lamports, 0],
    [MY_USDC]: OPEN,
    [SHOP_USDC]: OPEN,
  },
  signerCount,
  feeLamports: signerCount * FEE,
  instructions: [callToken(3, [MY_USDC, SHOP_USDC, ME]), ...(signerCount > 1 ? [paySol(seller, ME, lamports)] : [])],
  tokens: [createUsdc(5_000_000, 0), createShopUsdc(0, 5_000_000)],
});

/** Moves 3 base units of USDC from the wallet to a shop. The friend is the delegate and pays the fee. */
const pull = (instruction = callToken(3, [MY_USDC, SHOP_USDC, FRIEND])): TransactionScript => ({
  accounts: { [FRIEND]: [SOL, SOL - FEE], [ME]: [7, 7], [MY_USDC]: OPEN, [SHOP_USDC]: OPEN },
  instructions: [instruction],
  tokens: [createUsdc(5, 2), createShopUsdc(0, 3)],
});
/** The wallet pays 3 base units of USDC. The shop puts these lamports into a new token account of the wallet. */
const openedByShop = (lamports: number): TransactionScript => ({
  accounts: {
    [ME]: [SOL, SOL - 2 * FEE],
    [SHOP]: [SOL, SOL - lamports],
    [MY_USDC]: OPEN,
    [SHOP_USDC]: OPEN,
    [MY_OTHER]: [0, lamports],
  },
  signerCount: 2,
  feeLamports: 2 * FEE,
  instructions: [
    callToken(3, [MY_USDC, SHOP_USDC, ME]),
    { program: ASSOCIATED_TOKEN_PROGRAM, accounts: [SHOP, MY_OTHER], data: Uint8Array.of(1) },
  ],
  inner: [{ index: 1, instructions: [createAccount(SHOP, MY_OTHER, lamports, TOKEN_ACCOUNT_BYTES)] }],
  tokens: [createUsdc(5, 2), createShopUsdc(0, 3), { account: MY_OTHER, owner: ME, mint: COIN, decimals: 0, after: 0 }],
});
const PULLED: Payment = { lamports: 0n, tokens: [{ ...USDC, amount: 3n }], pulledBy: FRIEND };
/** A batch of an instruction that the service does not know, and a transfer by the friend. */
const TOKEN_BATCH: ScriptInstruction = {
  program: TOKEN_PROGRAM,
  accounts: [SHOP_USDC, MY_USDC, SHOP_USDC, FRIEND],
  data: Uint8Array.of(255, 1, 1, 17, 3, 9, 3, 3, 0, 0, 0, 0, 0, 0, 0),
};

describe("decodeSpending", () => {
  const cases: Record<string, TransactionScript & { payment: Payment }> = {
    "does not count the missing rent of a token account that was funded before it was opened": {
      accounts: { [ME]: [SOL, SOL - FEE - RENT + 100], [MY_USDC]: OPEN, [SHOP_USDC]: [100, RENT] },
      instructions: [OPENS_SHOP_USDC],
      inner: [{ index: 0, instructions: [paySol(ME, SHOP_USDC, RENT - 100)] }],
      tokens: [createUsdc(5_000_000, 0), createShopUsdc(undefined, 5_000_000)],
      payment: { lamports: 0n, tokens: [{ ...USDC, amount: 5_000_000n }] },
    },
    "counts the USDC alone when it opens the recipient's account": {
      accounts: { [ME]: [SOL, SOL - FEE - RENT], [MY_USDC]: OPEN, [SHOP_USDC]: [0, RENT] },
      instructions: [OPENS_SHOP_USDC, callToken(12, [MY_USDC, USDC.mint, SHOP_USDC, ME])],
      inner: [{ index: 0, instructions: [createAccount(ME, SHOP_USDC, RENT, TOKEN_ACCOUNT_BYTES)] }],
      tokens: [createUsdc(5_000_000, 980_000), createShopUsdc(undefined, 4_020_000)],
      payment: { lamports: 0n, tokens: [{ ...USDC, amount: 4_020_000n }] },
    },
    "counts SOL beside a priority fee and an assertion that a wallet adds": {
      accounts: { [ME]: [SOL, 0.9 * SOL - FEE - 10_000], [FRIEND]: [0, 0.1 * SOL] },
      feeLamports: FEE + 10_000,
      instructions: [paySol(ME, FRIEND, 0.1 * SOL), { program: LIGHTHOUSE_PROGRAM, accounts: [ME] }],
      payment: { lamports: 100_000_000n, tokens: [] },
    },
    "counts a programmable NFT alone, not the rent of its new account and record": {
      accounts: {
        [ME]: [SOL, SOL - FEE - RENT - computeRent(80)],
        [MY_OTHER]: OPEN,
        [FRIEND_COIN]: [0, RENT],
        [POOL]: [0, computeRent(80)],
      },
      instructions: [{ program: METADATA_PROGRAM, accounts: [MY_OTHER, ME, FRIEND_COIN, FRIEND, COIN, POOL] }],
      inner: [
        {
          index: 0,
          instructions: [
            createAccount(ME, FRIEND_COIN, RENT, TOKEN_ACCOUNT_BYTES),
            ...createMetaplexAccount(ME, POOL, 80),
            callToken(12, [MY_OTHER, COIN, FRIEND_COIN, ME]),
          ],
        },
      ],
      tokens: [
        { account: MY_OTHER, owner: ME, mint: COIN, decimals: 0, before: 1, after: 0 },
        { account: FRIEND_COIN, owner: FRIEND, mint: COIN, decimals: 0, after: 1 },
      ],
      payment: { lamports: 0n, tokens: [{ mint: COIN, decimals: 0, amount: 1n }] },
    },
    "counts the full amount that left the wallet of a token with a transfer fee": {
      accounts: { [ME]: [SOL, SOL - FEE], [MY_OTHER]: OPEN, [FRIEND_COIN]: OPEN },
      instructions: [callToken(26, [MY_OTHER, COIN, FRIEND_COIN, ME], TOKEN_2022_PROGRAM)],
      tokens: [
        { account: MY_OTHER, owner: ME, mint: COIN, decimals: 6, before: 5_000_000, after: 2_000_000 },
        { account: FRIEND_COIN, owner: FRIEND, mint: COIN, decimals: 6, before: 0, after: 2_970_000 },
      ],
      payment: { lamports: 0n, tokens: [{ mint: COIN, decimals: 6, amount: 3_000_000n }] },
    },
    "counts dollars that a delegate takes": { ...pull(), payment: PULLED },
    "counts dollars that a delegate takes with a checked transfer of Token-2022": {
      ...pull(callToken(12, [MY_USDC, USDC.mint, SHOP_USDC, FRIEND], TOKEN_2022_PROGRAM)),
      payment: PULLED,
    },
    "counts dollars that a delegate takes with a transfer that has a fee": {
      ...pull({
        ...callToken(26, [MY_USDC, USDC.mint, SHOP_USDC, FRIEND], TOKEN_2022_PROGRAM),
        data: Uint8Array.of(26, 1, 3, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0),
      }),
      payment: PULLED,
    },
    "counts dollars that a delegate takes in a batch": { ...pull(TOKEN_BATCH), payment: PULLED },
    "counts dollars that a program takes as a delegate": {
      ...pull({ program: JUPITER_PROGRAM, accounts: [MY_USDC, SHOP_USDC, POOL] }),
      inner: [{ index: 0, instructions: [callToken(3, [MY_USDC, SHOP_USDC, POOL])] }],
      payment: { ...PULLED, pulledBy: POOL },
    },
    "counts a pulled payment for which the wallet gets points, and names their mint": {
      ...pull(),
      accounts: { ...pull().accounts, [FRIEND]: [SOL, SOL - FEE - RENT], [MY_OTHER]: [0, RENT] },
      inner: [{ index: 0, instructions: [createAccount(FRIEND, MY_OTHER, RENT, TOKEN_ACCOUNT_BYTES)] }],
      tokens: [...pull().tokens!, { account: MY_OTHER, owner: ME, mint: COIN, decimals: 0, after: 9 }],
      payment: { ...PULLED, gainedMints: [COIN] },
    },
    "counts a payment to a shop that opens an account for the payer": {
      ...openedByShop(RENT),
      payment: { lamports: 0n, tokens: [{ ...USDC, amount: 3n }] },
    },
    "counts wrapped SOL and payments by a program on the wallet's behalf": {
      accounts: {
        [ME]: [SOL, SOL - FEE - 200],
        [MY_OTHER]: [RENT + 500, RENT],
        [SHOP_USDC]: [RENT, RENT + 500],
        [POOL]: [0, 200],
      },
      instructions: [callToken(3, [MY_OTHER, SHOP_USDC, ME]), { program: JUPITER_PROGRAM, accounts: [ME, POOL] }],
      inner: [{ index: 1, instructions: [paySol(ME, POOL, 200)] }],
      tokens: [
        { account: MY_OTHER, owner: ME, ...WRAPPED_SOL, before: 500, after: 0 },
        { account: SHOP_USDC, owner: SHOP, ...WRAPPED_SOL, before: 0, after: 500 },
      ],
      payment: { lamports: 700n, tokens: [] },
    },
    "counts only the USDC when the emptied account's rent goes to the relayer": {
      accounts: { [FRIEND]: [SOL, SOL - 2 * FEE + RENT], [ME]: [7, 7], [MY_USDC]: [RENT, 0], [SHOP_USDC]: OPEN },
      signerCount: 2,
      feeLamports: 2 * FEE,
      instructions: [callToken(3, [MY_USDC, SHOP_USDC, ME]), callToken(9, [MY_USDC, FRIEND, ME])],
      tokens: [createUsdc(5_000_000, undefined), createShopUsdc(0, 5_000_000)],
      payment: { lamports: 0n, tokens: [{ ...USDC, amount: 5_000_000n }] },
    },
    "counts the USDC alone when a program's account and the emptied account close into the wallet": {
      accounts: { [ME]: [SOL, SOL - FEE + 2 * RENT], [MY_USDC]: [RENT, 0], [POOL]: [RENT, 0], [SHOP_USDC]: OPEN },
      instructions: [callToken(3, [MY_USDC, SHOP_USDC, ME]), callToken(9, [MY_USDC, ME, ME])],
      tokens: [createUsdc(5_000_000, undefined), createShopUsdc(0, 5_000_000)],
      payment: { lamports: 0n, tokens: [{ ...USDC, amount: 5_000_000n }] },
    },
    "counts SOL next to a closed account and wrapped SOL of an account closed into a shop": {
      accounts: {
        [ME]: [SOL, SOL - FEE - 300 + RENT],
        [MY_USDC]: [RENT, 0],
        [MY_OTHER]: [RENT + 500, 0],
        [SHOP]: [0, RENT + 800],
      },
      instructions: [paySol(ME, SHOP, 300), callToken(9, [MY_USDC, ME, ME]), callToken(9, [MY_OTHER, SHOP, ME])],
      tokens: [createUsdc(0, undefined), { account: MY_OTHER, owner: ME, ...WRAPPED_SOL, before: 500 }],
      payment: { lamports: 800n, tokens: [] },
    },
    "counts the SOL of a swap that pays a shop in USDC and leaves dust": {
      ...swapAndPay(9_999),
      payment: { lamports: 100_000_000n, tokens: [], hasDust: true },
    },
    "counts the SOL of a swap that leaves dust in a dollar token that is no asset": {
      ...swapAndPay(9_999, { mint: OTHER_DOLLARS.PYUSD.mint, decimals: 6 }),
      payment: { lamports: 100_000_000n, tokens: [], hasDust: true },
    },
  };
  test.each(Object.entries(cases))("%s", async (_title, { payment, ...script }) => {
    expect(await decodeScript(script)).toEqual(payment);
  });

  test.each([
    ["comes back to the wallet", 0],
    ["comes back to a wallet that also pays SOL, less than the rent", 1_000],
  ])("counts only the payment when the rent of a program's temporary account %s", async (_caseName, sol) => {
    const script: TransactionScript = {
      accounts: {
        [ME]: [2 * SOL, 2 * SOL - FEE + RENT - sol],
        [MY_USDC]: OPEN,
        [SHOP_USDC]: OPEN,
        [SHOP]: [SOL, SOL + sol],
        [toKey("temporary")]: [RENT, 0],
      },
      instructions: [callToken(3, [MY_USDC, SHOP_USDC, ME]), ...(sol > 0 ? [paySol(ME, SHOP, sol)] : [])],
      tokens: [createUsdc(5_000_000, 0), createShopUsdc(0, 5_000_000)],
    };
    expect(await decodeScript(script)).toEqual({ lamports: BigInt(sol), tokens: [{ ...USDC, amount: 5_000_000n }] });
  });

  test("counts SOL paid next to a stake, even when more comes out of another stake", async () => {
    const instructions = [
      createAccount(ME, STAKE, 2 * SOL),
      { program: STAKE_PROGRAM, accounts: [STAKE, toKey("vote"), ME] },
      paySol(ME, SHOP, SOL / 2),
    ];
    const script: TransactionScript = {
      accounts: {
        [ME]: [5 * SOL, 2.5 * SOL - FEE],
        [STAKE]: [0, 2 * SOL],
        [SHOP]: [0, SOL / 2],
        [toKey("vote")]: [SOL, SOL],
      },
      instructions,
    };
    expect(await decodeScript(script)).toEqual({ lamports: 500_000_000n, tokens: [] });
    const oldStake = toKey("old stake");
    const unstaked: TransactionScript = {
      accounts: { ...script.accounts, [ME]: [5 * SOL, 4.5 * SOL - FEE], [oldStake]: [3 * SOL, SOL] },
      instructions: [...instructions, { program: STAKE_PROGRAM, accounts: [oldStake, ME] }],
    };
    expect(await decodeScript(unstaked)).toEqual({ lamports: 500_000_000n, tokens: [] });
  });

  test.each([
    ["except the rent of its size", 200, 2 * SOL, 2 * SOL - computeOldRent(200)],
    ["created from a seed, except the rent of its size", 200, 2 * SOL, 2 * SOL - computeOldRent(200), true],
    ["without data, except its rent", 0, SOL, SOL - computeOldRent(0)],
  ])("counts SOL put into a new account %s", async (_caseName, space, lamports, paidLamports, isSeeded?) => {
    const creation = isSeeded
      ? createSeededAccount(ME, SHOP, lamports, space)
      : createAccount(ME, SHOP, lamports, space);
    const script: TransactionScript = {
      accounts: { [ME]: [5 * SOL, 5 * SOL - FEE - lamports], [SHOP]: [0, lamports] },
      instructions: [creation],
    };
    expect(await decodeScript(script)).toEqual({ lamports: BigInt(paidLamports), tokens: [] });
  });

  test.each(TIP_ACCOUNTS)("leaves out the tip of a block builder: %s", async (builder) => {
    const script: TransactionScript = {
      accounts: { [ME]: [SOL, SOL - FEE - 400], [SHOP]: [0, 300], [builder]: [SOL, SOL + 100] },
      instructions: [paySol(ME, SHOP, 300), paySol(ME, builder, 100)],
    };
    expect(await decodeScript(script)).toEqual({ lamports: 300n, tokens: [] });
  });
});

test("the spending counts each lamport that others received exactly once, among all other kinds of movements", async () => {
  const [openedAccount, temporary] = [toKey("opened"), toKey("temporary")];
  const anyLamports = fc.integer({ min: 0, max: SOL });
  const anyParts = fc.record({
    paidToShop: anyLamports,
    paidToFriend: anyLamports,
    tip: anyLamports,
    saved: anyLamports,
    wrappedLamports: anyLamports,
    isWrappedByOwner: fc.boolean(),
    fee: anyLamports,
    space: fc.nat(10_000),
    aboveRent: anyLamports,
    staked: anyLamports,
    dust: fc.nat(9_999),
    returnsRent: fc.boolean(),
  });
  const property = fc.asyncProperty(
    anyParts,
    async ({ paidToShop, paidToFriend, tip, saved, fee, space, aboveRent, staked, dust, returnsRent, ...wrapped }) => {
      // Returned rent is recognized only if lamport transfers explain everything else that left.
      const savedWrapped = returnsRent ? 0 : wrapped.wrappedLamports;
      const wrappedByOwner = wrapped.isWrappedByOwner ? saved : 0;
      const rent = computeOldRent(space);
      fc.pre(aboveRent === 0 || !isExactRent(BigInt(rent + aboveRent)));
      // The fee comes first. Another wallet's transfer follows it, because a pair with the fee would be a round-up.
      const moves: [to: string, lamports: number][] = [
        [COLLECTOR, fee],
        [SHOP, paidToShop],
        [TIP, tip],
        [FRIEND, paidToFriend],
        [SERVICE, saved],
        [openedAccount, rent + aboveRent],
        [STAKE, staked],
      ];
      const totalLamports = moves.reduce((sum, [, amount]) => sum + amount, 0);
      const isStaking = staked > 0;
      const decoded = await decodeScript({
        accounts: {
          [ME]: [20 * SOL, 20 * SOL - FEE - totalLamports + (returnsRent ? RENT : 0)],
          [temporary]: [RENT, returnsRent ? 0 : RENT],
          [MY_USDC]: OPEN,
          ...Object.fromEntries(
            moves.map(([to, amount]) => [to, to === openedAccount ? [0, amount] : [SOL, SOL + amount]]),
          ),
          [SERVICE]: [SOL, SOL + saved - wrappedByOwner],
          [MY_OTHER]: [RENT + savedWrapped, RENT],
          [SERVICE_WSOL]: [RENT, RENT + savedWrapped + wrappedByOwner],
        },
        instructions: [
          paySol(ME, COLLECTOR, fee),
          paySol(SERVICE, SERVICE_WSOL, wrappedByOwner),
          ...moves
            .slice(1)
            .map(([to, amount]) =>
              to === openedAccount ? createAccount(ME, to, amount, space) : paySol(ME, to, amount),
            ),
          callToken(12, [MY_OTHER, NATIVE_MINT, SERVICE_WSOL, ME]),
          ...(isStaking ? [{ program: STAKE_PROGRAM, accounts: [STAKE, ME] }] : []),
        ],
        tokens: [
          ...(dust > 0 ? [createUsdc(0, dust)] : []),
          { account: MY_OTHER, owner: ME, ...WRAPPED_SOL, before: savedWrapped, after: 0 },
          { account: SERVICE_WSOL, owner: SERVICE, ...WRAPPED_SOL, before: 0, after: savedWrapped + wrappedByOwner },
        ],
      });
      const countedLamports = paidToShop + paidToFriend + aboveRent;
      if (isStaking && dust > 0) expect(decoded).toBe("staking");
      else if (countedLamports === 0) expect(decoded).toBeTypeOf("string");
      else
        expect(decoded).toEqual({ lamports: BigInt(countedLamports), tokens: [], ...(dust > 0 && { hasDust: true }) });
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

const createWrap = (saved: number, fee: number) => [paySol(ME, COLLECTOR, fee), paySol(ME, SERVICE, saved)];

describe("payments that are left out", () => {
  const cases: Record<`${LeftOutReason}: ${string}`, TransactionScript> = {
    "own_service_wallet: a saving alone": {
      accounts: { [ME]: [SOL, SOL - FEE - 1_010], [SERVICE]: [0, 1_000], [COLLECTOR]: [0, 10] },
      instructions: createWrap(1_000, 10),
    },
    "carried_round_up: a payment that carried its own saving": {
      accounts: { [ME]: [SOL, SOL - FEE - 501_010], [SHOP]: [0, 500_000], [SERVICE]: [0, 1_000], [COLLECTOR]: [0, 10] },
      instructions: [paySol(ME, SHOP, 500_000), ...createWrap(1_000, 10)],
    },
    "fee_collector: a gift to a fee collector": {
      accounts: { [ME]: [SOL, SOL - FEE - 10], [COLLECTOR]: [0, 10] },
      instructions: [paySol(ME, COLLECTOR, 10)],
    },
    "swap: a cent that is returned in another coin": swapAndPay(10_000),
    "swap: one unit of a token without a known price": swapAndPay(1, { mint: COIN, decimals: 6 }),
    "swap: more than the rent of a closed escrow account": sellTo(toKey("escrow"), RENT + 20_000_000),
    "swap: everything that another wallet signs away": sellTo(FRIEND, computeRent(0), 2),
    "swap: dust received with only a tip paid": {
      accounts: { [ME]: [SOL, SOL - FEE - 100], [MY_USDC]: OPEN, [TIP]: [SOL, SOL + 100] },
      instructions: [paySol(ME, TIP, 100)],
      tokens: [createUsdc(0, 5)],
    },
    "tip: a tip alone": {
      accounts: { [ME]: [SOL, SOL - FEE - 100], [TIP]: [SOL, SOL + 100] },
      instructions: [paySol(ME, TIP, 100)],
    },
    "own_accounts: wrapping SOL": {
      accounts: { [ME]: [SOL, SOL / 2 - FEE - RENT], [MY_OTHER]: [0, SOL / 2 + RENT] },
      instructions: [paySol(ME, MY_OTHER, SOL / 2 + RENT)],
      tokens: [{ account: MY_OTHER, owner: ME, ...WRAPPED_SOL, after: SOL / 2 }],
    },
    "own_accounts: wrapped SOL turned back into SOL": {
      accounts: { [ME]: [SOL, SOL - FEE + RENT + 500], [MY_OTHER]: [RENT + 500, 0] },
      instructions: [callToken(9, [MY_OTHER, ME, ME])],
      tokens: [{ account: MY_OTHER, owner: ME, ...WRAPPED_SOL, before: 500 }],
    },
    "rent: the rent of the wallet's own account, closed into another wallet": {
      accounts: { [ME]: [SOL, SOL - FEE], [MY_USDC]: [RENT, 0], [SHOP]: [0, RENT] },
      instructions: [callToken(9, [MY_USDC, SHOP, ME])],
      tokens: [createUsdc(0, undefined)],
    },
    "rent: the rent of a closed account that went to another wallet, beside SOL that is wrapped": {
      accounts: {
        [ME]: [SOL, SOL - FEE - 700],
        [MY_USDC]: [RENT, 0],
        [MY_OTHER]: [RENT, RENT + 700],
        [SHOP]: [0, RENT],
      },
      instructions: [paySol(ME, MY_OTHER, 700), callToken(9, [MY_USDC, SHOP, ME])],
      tokens: [createUsdc(0, undefined), { account: MY_OTHER, owner: ME, ...WRAPPED_SOL, before: 0, after: 700 }],
    },
    "rent: the rent of an account opened for another wallet": {
      accounts: { [ME]: [SOL, SOL - FEE - RENT], [SHOP_USDC]: [0, RENT] },
      instructions: [OPENS_SHOP_USDC],
      inner: [{ index: 0, instructions: [createAccount(ME, SHOP_USDC, RENT)] }],
      tokens: [createShopUsdc(undefined, 0)],
    },
    "rent: a program's account at an older rent rate, and one that grew": {
      accounts: {
        [ME]: [SOL, SOL - FEE - computeOldRent(200) - computeRent(300)],
        [POOL]: [0, computeOldRent(200)],
        [SHOP]: [0, computeRent(300)],
      },
      instructions: [
        createAccount(ME, POOL, computeOldRent(200), 200),
        createAccount(ME, SHOP, computeRent(10), 10),
        paySol(ME, SHOP, computeRent(300) - computeRent(10)),
      ],
    },
    "staking: a transfer into a stake account, beside a tip": {
      accounts: { [ME]: [5 * SOL, 3 * SOL - FEE - 100], [STAKE]: [SOL, 3 * SOL], [TIP]: [SOL, SOL + 100] },
      instructions: [paySol(ME, STAKE, 2 * SOL), DELEGATION, paySol(ME, TIP, 100)],
    },
    "staking: stake pool tokens returned for a stake, with a fee to the pool": {
      accounts: { [ME]: [SOL, SOL - FEE], [MY_OTHER]: OPEN, [POOL]: OPEN, [STAKE]: [SOL, SOL] },
      instructions: [{ program: JUPITER_PROGRAM, accounts: [ME, MY_OTHER, POOL] }],
      inner: [{ index: 0, instructions: [DELEGATION] }],
      tokens: [
        { account: MY_OTHER, owner: ME, mint: COIN, decimals: 9, before: 1_000, after: 0 },
        { account: POOL, owner: SHOP, mint: COIN, decimals: 9, before: 0, after: 1 },
      ],
    },
    "burned: tokens that were burned": {
      accounts: { [ME]: [SOL, SOL - FEE], [MY_USDC]: OPEN },
      instructions: [callToken(8, [MY_USDC, ME])],
      tokens: [createUsdc(5, 2)],
    },
    "nothing_sent: another wallet's payment that this wallet only signs": {
      accounts: { [FRIEND]: [2 * SOL, SOL - 2 * FEE], [ME]: [7, 7], [SHOP]: [0, SOL] },
      signerCount: 2,
      feeLamports: 2 * FEE,
      instructions: [paySol(FRIEND, SHOP, SOL)],
    },
    "nothing_sent: a payment to this wallet": {
      accounts: { [FRIEND]: [2 * SOL, SOL - FEE], [ME]: [0, SOL] },
      instructions: [paySol(FRIEND, ME, SOL)],
    },
    "nothing_sent: coins other than dollar tokens that a delegate took": {
      ...pull(),
      tokens: [
        { ...createUsdc(5, 2), mint: COIN },
        { ...createShopUsdc(0, 3), mint: COIN },
      ],
    },
    "rent: rent that an app passes on into a new account of the wallet": {
      accounts: { [ME]: [SOL, SOL - RENT - FEE], [POOL]: [SOL, SOL], [MY_OTHER]: [0, RENT] },
      instructions: [
        paySol(ME, POOL, RENT),
        { program: ASSOCIATED_TOKEN_PROGRAM, accounts: [POOL, MY_OTHER], data: Uint8Array.of(1) },
      ],
      inner: [{ index: 1, instructions: [createAccount(POOL, MY_OTHER, RENT, TOKEN_ACCOUNT_BYTES)] }],
      tokens: [{ account: MY_OTHER, owner: ME, mint: COIN, decimals: 0, after: 0 }],
    },
    "own_accounts: a delegate's transfer between the wallet's own accounts": {
      ...pull(),
      tokens: [createUsdc(5, 2), { ...createShopUsdc(0, 3), owner: ME }],
    },
    "nothing_sent: dollars that a delegate took and gave back": { ...pull(), tokens: [createUsdc(5, 5)] },
    "burned: dollars that a delegate took, which nobody received": { ...pull(), tokens: [createUsdc(5, 2)] },
    "own_service_wallet: dollars that a delegate moved into the wallet's service wallet": {
      ...pull(),
      tokens: [createUsdc(5, 2), { ...createShopUsdc(0, 3), owner: SERVICE }],
    },
    "swap: SOL that a delegate bought for the wallet": {
      accounts: { ...pull().accounts, [ME]: [7, 20_007] },
      instructions: pull().instructions!,
      tokens: pull().tokens!,
    },
    "swap: more than the rent in an account that the shop opened for the payer": openedByShop(RENT + 20_000),
    "own_service_wallet: wrapped SOL sent to the service wallet's new token account": {
      accounts: {
        [ME]: [SOL, SOL - FEE - RENT],
        [MY_OTHER]: [RENT + 500, RENT],
        [SERVICE]: [RENT, RENT],
        [SERVICE_WSOL]: [0, RENT + 500],
      },
      instructions: [callToken(12, [MY_OTHER, NATIVE_MINT, SERVICE_WSOL, ME])],
      inner: [{ index: 0, instructions: [createAccount(ME, SERVICE_WSOL, RENT)] }],
      tokens: [
        { account: MY_OTHER, owner: ME, ...WRAPPED_SOL, before: 500, after: 0 },
        { account: SERVICE_WSOL, owner: SERVICE, ...WRAPPED_SOL, after: 500 },
      ],
    },
    "own_service_wallet: SOL transferred into the service wallet's account of wrapped SOL": {
      accounts: { [ME]: [SOL, SOL - FEE - 500], [SERVICE_WSOL]: [RENT, RENT + 500] },
      instructions: [paySol(ME, SERVICE_WSOL, 500), { program: TOKEN_PROGRAM, accounts: [SERVICE_WSOL] }],
      tokens: [{ account: SERVICE_WSOL, owner: SERVICE, ...WRAPPED_SOL, before: 0, after: 500 }],
    },
    "own_service_wallet: an account of wrapped SOL closed into the service wallet": {
      accounts: { [ME]: [SOL, SOL - FEE], [MY_OTHER]: [RENT + 500, 0], [SERVICE]: [SOL, SOL + RENT + 500] },
      instructions: [callToken(9, [MY_OTHER, SERVICE, ME])],
      tokens: [{ account: MY_OTHER, owner: ME, ...WRAPPED_SOL, before: 500 }],
    },
  };
  test.each(Object.entries(cases))("%s", async (title, script) => {
    expect(await decodeScript(script)).toBe(title.split(":")[0]);
  });

  test("reports the recorded mainnet swap through Jupiter as a swap", async () => {
    const recording = JSON.parse(readFileSync("tests/support/fixtures/get-transaction-jupiter-swap.json", "utf8"));
    const figures = await decodeFigures(recording.answer);
    expect(decodeSpending(figures, { ...context, wallet: recording.wallet })).toBe("swap");
    expect(figures.programs).toContain(JUPITER_PROGRAM);
  });
});

describe("a mark", () => {
  const payment = "5".repeat(88);
  const createMemoInstruction = (
    accounts: string[],
    text = `roundup:2:through:${payment}:after:none`,
  ): ScriptInstruction => {
    return { program: MEMO_PROGRAM, accounts, data: encodeUtf8(text) };
  };
  const MARK = createMemoInstruction([ME]);
  const ROUND_UP = createWrap(1_000, 10);
  const readMarks = async (...instructions: ScriptInstruction[]) => {
    const accounts = Object.fromEntries(
      [ME, SERVICE, COLLECTOR, FRIEND].map((key) => [key, [SOL, SOL] as [number, number]]),
    );
    const figures = await decodeFigures(buildTransactionAnswer({ accounts, signerCount: 2, instructions }));
    return listMarksSetBy(ME, figures, context.feeCollectors);
  };

  test("counts in the same transaction as a fee of the wallet that signs it", async () => {
    expect(await readMarks(...ROUND_UP, MARK)).toEqual([{ kind: "through", value: payment, after: "none" }]);
  });

  test.each<[string, ScriptInstruction[]]>([
    ["without a fee", [MARK]],
    ["signed by another wallet", [...ROUND_UP, createMemoInstruction([FRIEND])]],
    ["without a signer", [...ROUND_UP, createMemoInstruction([])]],
    ["signed by a second wallet", [...ROUND_UP, createMemoInstruction([ME, FRIEND])]],
    ["beside a fee of another wallet", [paySol(FRIEND, COLLECTOR, 1), paySol(ME, SERVICE, 9), MARK]],
    ["with an unknown version", [...ROUND_UP, createMemoInstruction([ME], `roundup:3:through:${payment}:after:none`)]],
    ["without its predecessor", [...ROUND_UP, createMemoInstruction([ME], `roundup:2:through:${payment}`)]],
    [
      "whose predecessor has 15 bytes",
      [...ROUND_UP, createMemoInstruction([ME], `roundup:2:through:${payment}:after:${"1".repeat(15)}`)],
    ],
    ["whose value is not a signature", [...ROUND_UP, createMemoInstruction([ME], "roundup:2:through:5:after:none")]],
  ])("does not count %s", async (_caseName, instructions) => {
    expect(await readMarks(...instructions)).toEqual([]);
  });
});
