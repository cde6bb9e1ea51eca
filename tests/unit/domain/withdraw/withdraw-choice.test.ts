import { describe, expect, test } from "vitest";
import { ASSETS, OTHER_DOLLARS } from "../../../../lib/domain/assets";
import { listChoices } from "../../../../lib/domain/withdraw/withdraw-choice";
import { type Source, type Target, toTargetKey } from "../../../../lib/domain/withdraw/withdrawal";
import { TOKEN_RENT_LAMPORTS } from "../../../support/fixtures/rent";
import { toTestWallet } from "../../../support/fixtures/test-wallets";
import { HELD_TOKEN_ACCOUNT } from "../../../support/fixtures/withdrawals";

/** Creates a token account whose label is its address. It holds an unsupported token unless `overrides` has a mint. */
function createSource(address: string, overrides: Partial<Source> = {}): Source {
  return { ...HELD_TOKEN_ACCOUNT, address, mint: toTestWallet(address).address, ...overrides };
}

const SHARED = toTestWallet("shared mint").address;
const SOURCES = [
  createSource("asset", { mint: ASSETS.BTC.mint }),
  createSource("asset that a stranger closes", { mint: ASSETS.ETH.mint, isClosable: false }),
  createSource("dollar token that a stranger closes", { mint: OTHER_DOLLARS.PYUSD.mint, isClosable: false }),
  createSource("wrapped SOL", { mint: ASSETS.SOL.mint, isNative: true }),
  createSource("token that pays for itself"),
  createSource("token that a stranger closes", { isClosable: false }),
  createSource("token that a stranger closes, with a destination", { isClosable: false }),
  createSource("token with a destination"),
  createSource("token with less deposit than a new account costs", { lamports: TOKEN_RENT_LAMPORTS - 1n }),
  createSource("empty account", { amount: 0n }),
  createSource("empty account of a token that stays", {
    mint: toTestWallet("token that a stranger closes").address,
    amount: 0n,
  }),
  createSource("shared, a stranger closes it", { mint: SHARED, isClosable: false }),
  createSource("shared", { mint: SHARED }),
];

const ACCOUNTS = {
  sources: SOURCES,
  targets: new Map<string, Target>(
    SOURCES.filter(({ isNative, amount }) => !isNative && amount > 0n).map((source) => {
      const openingLamports = source.address.endsWith("with a destination") ? null : TOKEN_RENT_LAMPORTS;
      return [toTargetKey(source), { account: `of ${source.address}`, openingLamports }];
    }),
  ),
  stuckTokens: [],
  unreadCount: 0,
};

const findAccount = (mint: string) => SOURCES.find((source) => source.mint === mint)!.address;
const listNamedChoices = (amount: bigint | null, keepRentMinimum: boolean) =>
  listChoices(ACCOUNTS, amount, keepRentMinimum).map(({ sources, leftBehind, shouldCloseAccounts }) => ({
    sent: sources.map(({ address }) => address),
    leftBehind: leftBehind.map(({ mint, reason }) => `${findAccount(mint)}: ${reason}`),
    shouldCloseAccounts,
  }));

const NO_SOL = "The wallet's SOL cannot pay for sending it.";
const COSTS_MORE =
  "The destination has no account for it, and opening one costs more SOL than closing this one returns.";
const ONLY_KNOWN = "This build sends supported assets and dollar tokens only, because an earlier one was refused.";

describe("the choices of a withdrawal of everything", () => {
  test("leave behind unknown tokens that cost more than they return, then tokens that need SOL", () => {
    const worthless = ["token that a stranger closes", "token with less deposit than a new account costs"];
    const costly = [
      "token that pays for itself",
      "token that a stranger closes, with a destination",
      "shared, a stranger closes it",
      "shared",
    ];
    const closedByStranger = ["asset that a stranger closes", "dollar token that a stranger closes"];
    const listAllExcept = (...names: string[]) =>
      SOURCES.map(({ address }) => address).filter((account) => !names.includes(account));
    const reasons = {
      worthless: worthless.map((account) => `${account}: ${COSTS_MORE}`),
      costly: costly.map((account) => `${account === "shared" ? costly[2] : account}: ${NO_SOL}`),
    };
    expect(listNamedChoices(null, false)).toEqual([
      { sent: listAllExcept(...worthless), leftBehind: reasons.worthless, shouldCloseAccounts: true },
      {
        sent: listAllExcept(...worthless, ...costly),
        leftBehind: [...reasons.worthless, ...reasons.costly],
        shouldCloseAccounts: true,
      },
      {
        sent: listAllExcept(...worthless, ...costly, ...closedByStranger),
        leftBehind: [
          ...reasons.worthless,
          ...reasons.costly,
          ...closedByStranger.map((account) => `${account}: ${NO_SOL}`),
        ],
        shouldCloseAccounts: true,
      },
    ]);
  });

  test("send known tokens only, and close token accounts only if they must, when the rent minimum is kept", () => {
    const closedByStranger = ["asset that a stranger closes", "dollar token that a stranger closes"];
    const known = ["asset", ...closedByStranger, "wrapped SOL"];
    const unknown = SOURCES.filter(({ address, amount }) => !known.includes(address) && amount > 0n);
    const leftBehind = unknown.map(({ mint }) => `${findAccount(mint)}: ${ONLY_KNOWN}`);
    const all = { sent: known, leftBehind };
    const payable = {
      sent: ["asset", "wrapped SOL"],
      leftBehind: [...leftBehind, ...closedByStranger.map((account) => `${account}: ${NO_SOL}`)],
    };
    expect(listNamedChoices(null, true)).toEqual([
      { ...all, shouldCloseAccounts: false },
      { ...payable, shouldCloseAccounts: false },
      { ...all, shouldCloseAccounts: true },
      { ...payable, shouldCloseAccounts: true },
    ]);
  });
});

test("a withdrawal of an amount only has the choice whether to close emptied accounts", () => {
  const sentAccounts = SOURCES.map(({ address }) => address);
  expect(listNamedChoices(5n, false)).toEqual([{ sent: sentAccounts, leftBehind: [], shouldCloseAccounts: true }]);
  expect(listNamedChoices(5n, true).map(({ shouldCloseAccounts }) => shouldCloseAccounts)).toEqual([false, true]);
});
