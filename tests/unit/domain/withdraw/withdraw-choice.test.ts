import { describe, expect, test } from "vitest";
import { ASSETS } from "../../../../lib/domain/assets";
import { listChoices } from "../../../../lib/domain/withdraw/withdraw-choice";
import { type Source, type Target, toTargetKey } from "../../../../lib/domain/withdraw/withdrawal";
import { TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import { testWallet } from "../../../support/fixtures/test-wallets";

const RENT = 1_488_440n;

/** A token account whose name is its account. The mint is an unsupported token's, unless it is given. */
function source(account: string, changes: Partial<Source> = {}): Source {
  const mint = testWallet(account).address;
  return {
    account,
    mint,
    program: TOKEN_PROGRAM,
    decimals: 6,
    amount: 5n,
    lamports: RENT,
    native: false,
    closable: true,
    ...changes,
  };
}

const SHARED = testWallet("shared mint").address;
const SOURCES = [
  source("asset", { mint: ASSETS.BTC.mint }),
  source("asset that a stranger closes", { mint: ASSETS.ETH.mint, closable: false }),
  source("wrapped SOL", { mint: ASSETS.SOL.mint, native: true }),
  source("token that pays for itself"),
  source("token that a stranger closes", { closable: false }),
  source("token that a stranger closes, with a destination", { closable: false }),
  source("token with a destination"),
  source("token with less deposit than a new account costs", { lamports: RENT - 1n }),
  source("empty account", { amount: 0n }),
  source("empty account of a token that stays", {
    mint: testWallet("token that a stranger closes").address,
    amount: 0n,
  }),
  source("shared, a stranger closes it", { mint: SHARED, closable: false }),
  source("shared", { mint: SHARED }),
];

const FOUND = {
  sources: SOURCES,
  targets: new Map<string, Target>(
    SOURCES.filter(({ native, amount }) => !native && amount > 0n).map((one) => {
      const openingLamports = one.account.endsWith("with a destination") ? null : RENT;
      return [toTargetKey(one), { account: `of ${one.account}`, openingLamports }];
    }),
  ),
  stuck: [],
  unread: 0,
};

const accountOf = (mint: string) => SOURCES.find((one) => one.mint === mint)!.account;
const choices = (amount: bigint | null, keepRentMinimum: boolean) =>
  listChoices(FOUND, amount, keepRentMinimum).map(({ sources, leftBehind, closes }) => ({
    sent: sources.map(({ account }) => account),
    left: leftBehind.map(({ mint, reason }) => `${accountOf(mint)}: ${reason}`),
    closes,
  }));

const NO_SOL = "The wallet's SOL cannot pay for sending it.";
const COSTS_MORE =
  "The destination has no account for it, and opening one costs more SOL than closing this one returns.";
const ONLY_ASSETS = "This build sends supported assets only, because an earlier one was refused.";

describe("a withdrawal of everything", () => {
  test("leaves first the unsupported tokens that cost more than they return, then what needs SOL", () => {
    const worthless = ["token that a stranger closes", "token with less deposit than a new account costs"];
    const costly = [
      "token that pays for itself",
      "token that a stranger closes, with a destination",
      "shared, a stranger closes it",
      "shared",
    ];
    const asset = "asset that a stranger closes";
    const except = (...names: string[]) => SOURCES.map(({ account }) => account).filter((one) => !names.includes(one));
    const left = {
      worthless: worthless.map((one) => `${one}: ${COSTS_MORE}`),
      costly: costly.map((one) => `${one === "shared" ? costly[2] : one}: ${NO_SOL}`),
    };
    expect(choices(null, false)).toEqual([
      { sent: except(...worthless), left: left.worthless, closes: true },
      { sent: except(...worthless, ...costly), left: [...left.worthless, ...left.costly], closes: true },
      {
        sent: except(...worthless, ...costly, asset),
        left: [...left.worthless, ...left.costly, `${asset}: ${NO_SOL}`],
        closes: true,
      },
    ]);
  });

  test("that keeps the rent minimum sends assets only, and closes token accounts only if it must", () => {
    const assets = ["asset", "asset that a stranger closes", "wrapped SOL"];
    const unsupported = SOURCES.filter(({ account, amount }) => !assets.includes(account) && amount > 0n);
    const left = unsupported.map(({ mint }) => `${accountOf(mint)}: ${ONLY_ASSETS}`);
    const all = { sent: assets, left };
    const covered = { sent: ["asset", "wrapped SOL"], left: [...left, `asset that a stranger closes: ${NO_SOL}`] };
    expect(choices(null, true)).toEqual([
      { ...all, closes: false },
      { ...covered, closes: false },
      { ...all, closes: true },
      { ...covered, closes: true },
    ]);
  });
});

test("a withdrawal of an amount offers no choice but to close the emptied accounts", () => {
  const sent = SOURCES.map(({ account }) => account);
  expect(choices(5n, false)).toEqual([{ sent, left: [], closes: true }]);
  expect(choices(5n, true).map(({ closes }) => closes)).toEqual([false, true]);
});
