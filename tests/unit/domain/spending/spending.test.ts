import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ASSETS } from "@/lib/domain/assets";
import { decodeSpending, findMarkedWrap, type LeftOutReason } from "@/lib/domain/spending/spending";
import { utf8 } from "@/lib/solana/bytes";
import { toDataView } from "@/lib/solana/instructions";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  JUPITER_PROGRAM,
  MEMO_PROGRAM,
  NATIVE_MINT,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from "@/lib/solana/programs";
import { isExactRent } from "@/lib/solana/rent";
import { TIP_ACCOUNTS } from "@/lib/solana/tip-accounts";
import {
  buildAnswer,
  decodeFigures,
  type Script,
  type Step,
  systemData,
} from "../../../support/fixtures/mainnet-transaction";
import { testWallet } from "../../../support/fixtures/test-wallets";

const named = (label: string) => testWallet(`spending ${label}`).address;
const [ME, SHOP, FRIEND, SERVICE, COLLECTOR] = ["me", "shop", "friend", "service", "collector"].map(named) as [
  string,
  string,
  string,
  string,
  string,
];
const [MY_USDC, SHOP_USDC, MY_OTHER, POOL] = ["my usdc", "shop usdc", "my other", "pool"].map(named) as [
  string,
  string,
  string,
  string,
];
const PYUSD = named("pyusd");
const SOL = 1_000_000_000;
const RENT = 1_488_440;
const FEE = 5_000;
const USDC = { mint: ASSETS.USDC.mint, decimals: 6 };

const context = {
  wallet: ME,
  isServiceWallet: (address: string) => address === SERVICE,
  feeCollectors: [COLLECTOR],
};
const pay = (from: string, to: string, lamports: number): Step => {
  return { program: SYSTEM_PROGRAM, accounts: [from, to], data: systemData(2, lamports) };
};
const create = (from: string, account: string, lamports: number, space = 0): Step => {
  const data = systemData(0, lamports, 40);
  toDataView(data).setBigUint64(12, BigInt(space), true);
  return { program: SYSTEM_PROGRAM, accounts: [from, account], data };
};
/** createAccountWithSeed: tag, base, seed of 4 bytes, lamports, space, owner. */
const createSeeded = (from: string, account: string, lamports: number, space: number): Step => {
  const data = new Uint8Array(4 + 32 + 8 + 4 + 8 + 8 + 32);
  const view = toDataView(data);
  view.setUint32(0, 3, true);
  view.setBigUint64(36, 4n, true);
  view.setBigUint64(48, BigInt(lamports), true);
  view.setBigUint64(56, BigInt(space), true);
  return { program: SYSTEM_PROGRAM, accounts: [from, account], data };
};
const token = (tag: number, accounts: string[], program = TOKEN_PROGRAM): Step => {
  return { program, accounts, data: Uint8Array.of(tag, 0, 0, 0, 0, 0, 0, 0, 0) };
};
const decode = async (staged: Script) => decodeSpending(await decodeFigures(buildAnswer(staged)), context);
const usdc = (before?: number, after?: number) => ({ account: MY_USDC, owner: ME, ...USDC, before, after });
const shopUsdc = (before?: number, after?: number) => ({ account: SHOP_USDC, owner: SHOP, ...USDC, before, after });

/** Swaps a tenth of a SOL into 20 USDC for a shop and `dust` for the wallet. */
const swapAndPay = (dust: number, { mint, decimals } = USDC): Script => ({
  accounts: {
    [ME]: [SOL, 0.9 * SOL - FEE],
    [POOL]: [SOL, 1.1 * SOL],
    [MY_OTHER]: [RENT, RENT],
    [SHOP_USDC]: [RENT, RENT],
  },
  orders: [{ program: JUPITER_PROGRAM, accounts: [ME, POOL, MY_OTHER, SHOP_USDC] }],
  inner: [{ index: 0, orders: [pay(ME, POOL, 0.1 * SOL)] }],
  tokens: [{ account: MY_OTHER, owner: ME, mint, decimals, before: 0, after: dust }, shopUsdc(0, 20_000_000)],
});
/** Sells USDC for SOL that comes from one account, which is emptied. */
const soldTo = (seller: string, lamports: number, signers = 1): Script => ({
  accounts: {
    [ME]: [SOL, SOL - signers * FEE + lamports],
    [seller]: [lamports, 0],
    [MY_USDC]: [RENT, RENT],
    [SHOP_USDC]: [RENT, RENT],
  },
  signers,
  fee: signers * FEE,
  orders: [token(3, [MY_USDC, SHOP_USDC, ME]), ...(signers > 1 ? [pay(seller, ME, lamports)] : [])],
  tokens: [usdc(5_000_000, 0), shopUsdc(0, 5_000_000)],
});

describe("payments", () => {
  test("does not count the missing rent of a token account that was funded before it was opened", async () => {
    const staged: Script = {
      accounts: { [ME]: [SOL, SOL - FEE - RENT + 100], [MY_USDC]: [RENT, RENT], [SHOP_USDC]: [100, RENT] },
      orders: [{ program: ASSOCIATED_TOKEN_PROGRAM, accounts: [ME, SHOP_USDC], data: Uint8Array.of(1) }],
      inner: [{ index: 0, orders: [pay(ME, SHOP_USDC, RENT - 100)] }],
      tokens: [usdc(5_000_000, 0), shopUsdc(undefined, 5_000_000)],
    };
    expect(await decode(staged)).toEqual({ lamports: 0n, tokens: [{ ...USDC, amount: 5_000_000n }] });
  });

  test("counts USDC when a relayer pays the fee and the wallet only signs", async () => {
    const staged: Script = {
      accounts: { [FRIEND]: [SOL, SOL - 2 * FEE], [ME]: [0, 0], [MY_USDC]: [RENT, RENT], [SHOP_USDC]: [RENT, RENT] },
      signers: 2,
      fee: 2 * FEE,
      orders: [token(12, [MY_USDC, SHOP_USDC, ME])],
      tokens: [usdc(4_000_000, 1_000_000), shopUsdc(0, 3_000_000)],
    };
    expect(await decode(staged)).toEqual({ lamports: 0n, tokens: [{ ...USDC, amount: 3_000_000n }] });
  });

  test("counts a version 0 transaction whose shop is in a lookup table", async () => {
    const staged: Script = {
      accounts: { [ME]: [2 * SOL, SOL - FEE], [SHOP]: [SOL, 2 * SOL], [ASSETS.USDC.mint]: [1, 1] },
      loaded: { writable: 1, readonly: 1 },
      orders: [pay(ME, SHOP, SOL)],
    };
    expect(await decode(staged)).toEqual({ lamports: 1_000_000_000n, tokens: [] });
  });

  test("counts wrapped SOL, and payments by a program on the wallet's behalf", async () => {
    const wrapped = { mint: NATIVE_MINT, decimals: 9 };
    const staged: Script = {
      accounts: {
        [ME]: [SOL, SOL - FEE - 200],
        [MY_OTHER]: [RENT + 500, RENT],
        [SHOP_USDC]: [RENT, RENT + 500],
        [POOL]: [0, 200],
      },
      orders: [token(3, [MY_OTHER, SHOP_USDC, ME]), { program: JUPITER_PROGRAM, accounts: [ME, POOL] }],
      inner: [{ index: 1, orders: [pay(ME, POOL, 200)] }],
      tokens: [
        { account: MY_OTHER, owner: ME, ...wrapped, before: 500, after: 0 },
        { account: SHOP_USDC, owner: SHOP, ...wrapped, before: 0, after: 500 },
      ],
    };
    expect(await decode(staged)).toEqual({ lamports: 700n, tokens: [] });
  });

  test("counts only the USDC when the emptied account's rent goes to the relayer", async () => {
    const staged: Script = {
      accounts: {
        [FRIEND]: [SOL, SOL - 2 * FEE + RENT],
        [ME]: [7, 7],
        [MY_USDC]: [RENT, 0],
        [SHOP_USDC]: [RENT, RENT],
      },
      signers: 2,
      fee: 2 * FEE,
      orders: [token(3, [MY_USDC, SHOP_USDC, ME]), token(9, [MY_USDC, FRIEND, ME])],
      tokens: [usdc(5_000_000, undefined), shopUsdc(0, 5_000_000)],
    };
    expect(await decode(staged)).toEqual({ lamports: 0n, tokens: [{ ...USDC, amount: 5_000_000n }] });
  });

  test("counts SOL next to a closed account, and wrapped SOL of an account closed into a shop", async () => {
    const wrapped = { account: MY_OTHER, owner: ME, mint: NATIVE_MINT, decimals: 9, before: 500 };
    const staged: Script = {
      accounts: {
        [ME]: [SOL, SOL - FEE - 300 + RENT],
        [MY_USDC]: [RENT, 0],
        [MY_OTHER]: [RENT + 500, 0],
        [SHOP]: [0, RENT + 800],
      },
      orders: [pay(ME, SHOP, 300), token(9, [MY_USDC, ME, ME]), token(9, [MY_OTHER, SHOP, ME])],
      tokens: [usdc(0, undefined), wrapped],
    };
    expect(await decode(staged)).toEqual({ lamports: 800n, tokens: [] });
  });

  test("counts the SOL when a swap pays a shop in USDC and leaves dust, and marks the dust", async () => {
    expect(await decode(swapAndPay(9_999))).toEqual({ lamports: 100_000_000n, tokens: [], hasDust: true });
  });

  test.each([
    ["comes back to the wallet", 0],
    ["comes back to the wallet that pays SOL too, less than the rent", 1_000],
    ["comes back to the wallet that pays SOL too, more than the rent", SOL],
  ])("counts only the payment when the rent of a program's temporary account %s", async (_what, sol) => {
    const staged: Script = {
      accounts: {
        [ME]: [2 * SOL, 2 * SOL - FEE + RENT - sol],
        [MY_USDC]: [RENT, RENT],
        [SHOP_USDC]: [RENT, RENT],
        [SHOP]: [SOL, SOL + sol],
        [named("temporary")]: [RENT, 0],
      },
      orders: [token(3, [MY_USDC, SHOP_USDC, ME]), ...(sol > 0 ? [pay(ME, SHOP, sol)] : [])],
      tokens: [usdc(5_000_000, 0), shopUsdc(0, 5_000_000)],
    };
    expect(await decode(staged)).toEqual({ lamports: BigInt(sol), tokens: [{ ...USDC, amount: 5_000_000n }] });
  });

  test("counts SOL paid next to a stake, even when more comes out of another stake", async () => {
    const stake = named("stake");
    const orders = [
      create(ME, stake, 2 * SOL),
      { program: STAKE_PROGRAM, accounts: [stake, named("vote"), ME] },
      pay(ME, SHOP, SOL / 2),
    ];
    const staged: Script = {
      accounts: {
        [ME]: [5 * SOL, 2.5 * SOL - FEE],
        [stake]: [0, 2 * SOL],
        [SHOP]: [0, SOL / 2],
        [named("vote")]: [SOL, SOL],
      },
      orders,
    };
    expect(await decode(staged)).toEqual({ lamports: 500_000_000n, tokens: [] });
    const old = named("old stake");
    const unstaked: Script = {
      accounts: { ...staged.accounts, [ME]: [5 * SOL, 4.5 * SOL - FEE], [old]: [3 * SOL, SOL] },
      orders: [...orders, { program: STAKE_PROGRAM, accounts: [old, ME] }],
    };
    expect(await decode(unstaked)).toEqual({ lamports: 500_000_000n, tokens: [] });
  });

  test.each([
    ["except the rent of its size", 200, 2 * SOL, 2 * SOL - 328 * 6_960],
    ["created from a seed, except the rent of its size", 200, 2 * SOL, 2 * SOL - 328 * 6_960, true],
    ["without data, except its rent", 0, SOL, SOL - 128 * 6_960],
  ])("counts SOL put into a new account %s", async (_what, space, lamports, paid, seeded?) => {
    const order = seeded ? createSeeded(ME, SHOP, lamports, space) : create(ME, SHOP, lamports, space);
    const staged: Script = {
      accounts: { [ME]: [5 * SOL, 5 * SOL - FEE - lamports], [SHOP]: [0, lamports] },
      orders: [order],
    };
    expect(await decode(staged)).toEqual({ lamports: BigInt(paid), tokens: [] });
  });

  test.each(TIP_ACCOUNTS)("leaves out the tip of a block builder: %s", async (builder) => {
    const staged: Script = {
      accounts: { [ME]: [SOL, SOL - FEE - 400], [SHOP]: [0, 300], [builder]: [SOL, SOL + 100] },
      orders: [pay(ME, SHOP, 300), pay(ME, builder, 100)],
    };
    expect(await decode(staged)).toEqual({ lamports: 300n, tokens: [] });
  });
});

test("counts each lamport that others received exactly once, in a transaction with everything that may surround payments", async () => {
  const [opened, stake, temporary, tips] = [named("opened"), named("stake"), named("temporary"), TIP_ACCOUNTS[0]!];
  const lamports = fc.integer({ min: 0, max: SOL });
  const parts = fc.record({
    paid: lamports,
    again: lamports,
    tip: lamports,
    saved: lamports,
    fee: lamports,
    space: fc.nat(10_000),
    beyond: lamports,
    staked: lamports,
    dust: fc.nat(9_999),
    back: fc.boolean(),
  });
  const property = fc.asyncProperty(
    parts,
    async ({ paid, again, tip, saved, fee, space, beyond, staked, dust, back }) => {
      const rent = (128 + space) * 6_960;
      fc.pre(beyond === 0 || !isExactRent(BigInt(rent + beyond)));
      // Nothing may come directly before the fee, because the pair would be a round-up.
      const moves: [to: string, lamports: number][] = [
        [COLLECTOR, fee],
        [SHOP, paid],
        [tips, tip],
        [FRIEND, again],
        [SERVICE, saved],
        [opened, rent + beyond],
        [stake, staked],
      ];
      const all = moves.reduce((sum, [, amount]) => sum + amount, 0);
      const isStaking = staked > 0;
      const decoded = await decode({
        accounts: {
          [ME]: [20 * SOL, 20 * SOL - FEE - all + (back ? RENT : 0)],
          [temporary]: [RENT, back ? 0 : RENT],
          [MY_USDC]: [RENT, RENT],
          ...Object.fromEntries(moves.map(([to, amount]) => [to, to === opened ? [0, amount] : [SOL, SOL + amount]])),
        },
        orders: [
          ...moves.map(([to, amount]) => (to === opened ? create(ME, to, amount, space) : pay(ME, to, amount))),
          ...(isStaking ? [{ program: STAKE_PROGRAM, accounts: [stake, ME] }] : []),
        ],
        tokens: dust > 0 ? [usdc(0, dust)] : [],
      });
      const counted = paid + again + beyond;
      if (isStaking && dust > 0) expect(decoded).toBe("staking");
      else if (counted === 0) expect(decoded).toBeTypeOf("string");
      else expect(decoded).toEqual({ lamports: BigInt(counted), tokens: [], ...(dust > 0 && { hasDust: true }) });
    },
  );
  await fc.assert(property, { numRuns: 200 });
});

const wrap = (saved: number, fee: number) => [pay(ME, SERVICE, saved), pay(ME, COLLECTOR, fee)];

describe("payments that are left out", () => {
  const cases: Record<`${LeftOutReason}: ${string}`, Script> = {
    "own_service_wallet: a round-up alone": {
      accounts: { [ME]: [SOL, SOL - FEE - 1_010], [SERVICE]: [0, 1_000], [COLLECTOR]: [0, 10] },
      orders: wrap(1_000, 10),
    },
    "carried_round_up: a payment that carried its own round-up": {
      accounts: { [ME]: [SOL, SOL - FEE - 501_010], [SHOP]: [0, 500_000], [SERVICE]: [0, 1_000], [COLLECTOR]: [0, 10] },
      orders: [pay(ME, SHOP, 500_000), ...wrap(1_000, 10)],
    },
    "fee_collector: a gift to a fee collector": {
      accounts: { [ME]: [SOL, SOL - FEE - 10], [COLLECTOR]: [0, 10] },
      orders: [pay(ME, COLLECTOR, 10)],
    },
    "swap: a swap of USDC into SOL at a venue": {
      accounts: {
        [ME]: [SOL, 2 * SOL - FEE],
        [MY_USDC]: [RENT, RENT],
        [POOL]: [9 * SOL, 8 * SOL],
        [SHOP_USDC]: [RENT, RENT],
      },
      orders: [{ program: JUPITER_PROGRAM, accounts: [ME, MY_USDC, POOL] }],
      tokens: [usdc(150_000_000, 0), shopUsdc(0, 150_000_000)],
    },
    "swap: a cent that comes back": swapAndPay(10_000),
    "swap: the least of a token whose price is not certain": swapAndPay(1, { mint: PYUSD, decimals: 6 }),
    "swap: what an escrow held that is closed, more than its rent": soldTo(named("escrow"), RENT + 20_000_000),
    "swap: what another wallet signs away, all it has": soldTo(FRIEND, 128 * 5_080, 2),
    "swap: dust received with only a tip paid": {
      accounts: { [ME]: [SOL, SOL - FEE - 100], [MY_USDC]: [RENT, RENT], [TIP_ACCOUNTS[0]!]: [SOL, SOL + 100] },
      orders: [pay(ME, TIP_ACCOUNTS[0]!, 100)],
      tokens: [usdc(0, 5)],
    },
    "tip: a tip alone": {
      accounts: { [ME]: [SOL, SOL - FEE - 100], [TIP_ACCOUNTS[0]!]: [SOL, SOL + 100] },
      orders: [pay(ME, TIP_ACCOUNTS[0]!, 100)],
    },
    "own_accounts: wrapping SOL": {
      accounts: { [ME]: [SOL, SOL / 2 - FEE - RENT], [MY_OTHER]: [0, SOL / 2 + RENT] },
      orders: [pay(ME, MY_OTHER, SOL / 2 + RENT)],
      tokens: [{ account: MY_OTHER, owner: ME, mint: NATIVE_MINT, decimals: 9, after: SOL / 2 }],
    },
    "own_accounts: tokens moved to another account of the same wallet": {
      accounts: { [ME]: [SOL, SOL - FEE], [MY_USDC]: [RENT, RENT], [MY_OTHER]: [RENT, RENT] },
      orders: [token(3, [MY_USDC, MY_OTHER, ME])],
      tokens: [usdc(5, 2), { account: MY_OTHER, owner: ME, ...USDC, before: 0, after: 3 }],
    },
    "rent: the rent of the wallet's own account that was closed": {
      accounts: { [ME]: [SOL, SOL - FEE + RENT], [MY_USDC]: [RENT, 0] },
      orders: [token(9, [MY_USDC, ME, ME])],
      tokens: [usdc(0, undefined)],
    },
    "rent: the rent of the wallet's own account, closed into another wallet": {
      accounts: { [ME]: [SOL, SOL - FEE], [MY_USDC]: [RENT, 0], [SHOP]: [0, RENT] },
      orders: [token(9, [MY_USDC, SHOP, ME])],
      tokens: [usdc(0, undefined)],
    },
    "rent: the rent of an account opened for another wallet": {
      accounts: { [ME]: [SOL, SOL - FEE - RENT], [SHOP_USDC]: [0, RENT] },
      orders: [{ program: ASSOCIATED_TOKEN_PROGRAM, accounts: [ME, SHOP_USDC], data: Uint8Array.of(1) }],
      inner: [{ index: 0, orders: [create(ME, SHOP_USDC, RENT)] }],
      tokens: [shopUsdc(undefined, 0)],
    },
    "staking: a stake account, funded and delegated": {
      accounts: { [ME]: [5 * SOL, 3 * SOL - FEE], [named("stake")]: [0, 2 * SOL] },
      orders: [create(ME, named("stake"), 2 * SOL), { program: STAKE_PROGRAM, accounts: [named("stake"), ME] }],
    },
    "rent: an account of a program that was made at an older rate, and one that grew": {
      accounts: {
        [ME]: [SOL, SOL - FEE - 328 * 6_960 - 428 * 5_080],
        [POOL]: [0, 328 * 6_960],
        [SHOP]: [0, 428 * 5_080],
      },
      orders: [create(ME, POOL, 328 * 6_960, 200), create(ME, SHOP, 138 * 5_080, 10), pay(ME, SHOP, 290 * 5_080)],
    },
    "staking: a transfer into a stake account, beside a tip": {
      accounts: {
        [ME]: [5 * SOL, 3 * SOL - FEE - 100],
        [named("stake")]: [SOL, 3 * SOL],
        [TIP_ACCOUNTS[0]!]: [SOL, SOL + 100],
      },
      orders: [
        pay(ME, named("stake"), 2 * SOL),
        { program: STAKE_PROGRAM, accounts: [named("stake"), ME] },
        pay(ME, TIP_ACCOUNTS[0]!, 100),
      ],
    },
    "staking: stake pool tokens returned for a stake, with a fee to the pool": {
      accounts: {
        [ME]: [SOL, SOL - FEE],
        [MY_OTHER]: [RENT, RENT],
        [POOL]: [RENT, RENT],
        [named("stake")]: [SOL, SOL],
      },
      orders: [{ program: JUPITER_PROGRAM, accounts: [ME, MY_OTHER, POOL] }],
      inner: [{ index: 0, orders: [{ program: STAKE_PROGRAM, accounts: [named("stake"), ME] }] }],
      tokens: [
        { account: MY_OTHER, owner: ME, mint: PYUSD, decimals: 9, before: 1_000, after: 0 },
        { account: POOL, owner: SHOP, mint: PYUSD, decimals: 9, before: 0, after: 1 },
      ],
    },
    "burned: tokens that were burned": {
      accounts: { [ME]: [SOL, SOL - FEE], [MY_USDC]: [RENT, RENT] },
      orders: [token(8, [MY_USDC, ME])],
      tokens: [usdc(5, 2)],
    },
    "nothing_sent: another wallet's payment that this wallet only signs": {
      accounts: { [FRIEND]: [2 * SOL, SOL - 2 * FEE], [ME]: [7, 7], [SHOP]: [0, SOL] },
      signers: 2,
      fee: 2 * FEE,
      orders: [pay(FRIEND, SHOP, SOL)],
    },
    "nothing_sent: a payment to this wallet": {
      accounts: { [FRIEND]: [2 * SOL, SOL - FEE], [ME]: [0, SOL] },
      orders: [pay(FRIEND, ME, SOL)],
    },
    "nothing_sent: tokens that an approved delegate took": {
      accounts: { [FRIEND]: [SOL, SOL - FEE], [ME]: [7, 7], [MY_USDC]: [RENT, RENT], [SHOP_USDC]: [RENT, RENT] },
      orders: [token(3, [MY_USDC, SHOP_USDC, FRIEND])],
      tokens: [usdc(5, 2), shopUsdc(0, 3)],
    },
    "own_service_wallet: USDC put into the wallet's service wallet": {
      accounts: { [ME]: [SOL, SOL - FEE], [MY_USDC]: [RENT, RENT], [SHOP_USDC]: [RENT, RENT] },
      orders: [token(3, [MY_USDC, SHOP_USDC, ME])],
      tokens: [usdc(5, 2), { account: SHOP_USDC, owner: SERVICE, ...USDC, before: 0, after: 3 }],
    },
  };
  test.each(Object.entries(cases))("%s", async (title, staged) => {
    expect(await decode(staged)).toBe(title.split(":")[0]);
  });

  test("reports the recorded mainnet swap through Jupiter as a swap", async () => {
    const recorded = JSON.parse(readFileSync("tests/support/fixtures/get-transaction-jupiter-swap.json", "utf8"));
    const figures = await decodeFigures(recorded.answer);
    expect(decodeSpending(figures, { ...context, wallet: recorded.wallet })).toBe("swap");
    expect(figures.programs).toContain(JUPITER_PROGRAM);
  });
});

describe("a mark", () => {
  const payment = "5".repeat(88);
  const note = (accounts: string[], text = `roundup:1:through:${payment}`): Step => {
    return { program: MEMO_PROGRAM, accounts, data: utf8(text) };
  };
  const marked = async (...orders: Step[]) => {
    const accounts = Object.fromEntries(
      [ME, SHOP, SERVICE, COLLECTOR, FRIEND].map((key) => [key, [SOL, SOL] as [number, number]]),
    );
    const found = findMarkedWrap(await decodeFigures(buildAnswer({ accounts, signers: 2, orders })), context);
    return found?.wallet === ME && found.mark.kind === "through" ? found.mark.value : null;
  };

  test("counts next to a round-up of the wallet that signs it", async () => {
    expect(await marked(...wrap(1_000, 10), note([ME]))).toBe(payment);
  });

  test.each<[string, Step[]]>([
    ["without a round-up", [note([ME])]],
    ["beside a payment to a shop and a transfer to a collector", [pay(ME, SHOP, 9), pay(ME, COLLECTOR, 1), note([ME])]],
    ["signed by another wallet", [...wrap(1_000, 10), note([FRIEND])]],
    ["without a signer", [...wrap(1_000, 10), note([])]],
    ["signed by a second wallet", [...wrap(1_000, 10), note([ME, FRIEND])]],
    ["beside another wallet's round-up", [pay(FRIEND, SERVICE, 9), pay(FRIEND, COLLECTOR, 1), note([ME])]],
    ["beside a round-up of 0 lamports", [...wrap(0, 10), note([ME])]],
    ["beside a transfer to itself", [pay(ME, ME, 9), pay(ME, COLLECTOR, 1), note([ME])]],
    ["beside two transfers to a collector", [pay(ME, COLLECTOR, 9), pay(ME, COLLECTOR, 1), note([ME])]],
    ["beside a fee before what is saved", [pay(ME, COLLECTOR, 1), pay(ME, SERVICE, 9), note([ME])]],
    ["beside a fee for another wallet's saving", [pay(FRIEND, SERVICE, 9), pay(ME, COLLECTOR, 1), note([ME])]],
    [
      "beside a fee for a payment in between",
      [pay(ME, SERVICE, 9), pay(ME, SHOP, 5), pay(ME, COLLECTOR, 1), note([ME])],
    ],
    ["beside a second mark", [...wrap(1_000, 10), note([ME]), note([ME])]],
    ["beside a second mark by another wallet", [...wrap(1_000, 10), note([ME]), note([FRIEND])]],
    ["with an unknown version", [...wrap(1_000, 10), note([ME], `roundup:2:through:${payment}`)]],
    ["for a top-up", [...wrap(1_000, 10), note([ME], "roundup:1:topup:2026-W47")]],
    ["whose value is not a signature", [...wrap(1_000, 10), note([ME], "roundup:1:through:5")]],
  ])("does not count %s", async (_what, orders) => {
    expect(await marked(...orders)).toBeNull();
  });
});
