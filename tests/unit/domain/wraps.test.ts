import fc from "fast-check";
import { expect, test } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import { listSavedInto } from "../../../lib/domain/built-saving";
import type { Movement } from "../../../lib/domain/movements";
import { findWraps } from "../../../lib/domain/wraps";

const [ME, SERVICE, SHOP, COLLECTOR, DELEGATE] = ["me", "service", "shop", "collector", "delegate"];
const COLLECTORS = [COLLECTOR, "other collector"];

type Currency = "SOL" | "USDC" | "USDT";
const move = (from: string, to: string, amount: bigint, currency: Currency = "USDC", authority = from): Movement =>
  currency === "SOL"
    ? { from, to, lamports: amount }
    : { from, to, lamports: 0n, token: { mint: ASSETS[currency].mint, amount, authority } };
const fee = (amount: bigint, currency?: Currency, authority?: string) =>
  move(ME, COLLECTOR, amount, currency, authority);
const saving = (amount: bigint, currency?: Currency, authority?: string) =>
  move(ME, SERVICE, amount, currency, authority);

const NOTHING = { savedLamports: 0n, feeLamports: 0n, savedUsdc: 0n, feeUsdc: 0n };

test.each<[string, Movement[], Partial<typeof NOTHING>]>([
  ["the fee in USDC and then the saving", [fee(1n), saving(399n)], { savedUsdc: 399n, feeUsdc: 1n }],
  ["the saving and then the fee", [saving(399n), fee(1n)], { savedUsdc: 399n, feeUsdc: 1n }],
  ["a fee of 0", [fee(0n), saving(399n)], { savedUsdc: 399n }],
  [
    "both transfers by a delegate",
    [fee(1n, "USDC", SERVICE), saving(399n, "USDC", SERVICE)],
    { savedUsdc: 399n, feeUsdc: 1n },
  ],
  [
    "one saving in SOL and one in USDC",
    [fee(2n, "SOL"), saving(500n, "SOL"), fee(1n), saving(399n)],
    { savedUsdc: 399n, feeUsdc: 1n, savedLamports: 500n, feeLamports: 2n },
  ],
  ["a payment before the pair", [move(ME, SHOP, 9n), fee(1n), saving(399n)], { savedUsdc: 399n, feeUsdc: 1n }],
  ["one saving between two fees", [fee(1n), saving(399n), fee(1n)], { savedUsdc: 399n, feeUsdc: 1n }],
  [
    "what the service wallet sends on",
    [fee(1n), saving(399n), move(SERVICE, SHOP, 100n)],
    { savedUsdc: 299n, feeUsdc: 1n },
  ],
  [
    "SOL that it sends on, of no USDC",
    [fee(1n), saving(399n), move(SERVICE, SHOP, 100n, "SOL")],
    { savedUsdc: 399n, feeUsdc: 1n },
  ],
])("a wallet saves %s", (_caseName, movements, amounts) => {
  expect(listSavedInto(movements, ME, COLLECTORS)).toEqual([{ serviceWallet: SERVICE, ...NOTHING, ...amounts }]);
});

test.each<[string, Movement[]]>([
  ["a fee in SOL beside USDC", [fee(1n, "SOL"), saving(399n)]],
  ["a fee in USDC beside SOL", [fee(1n), saving(399n, "SOL")]],
  ["USDT", [fee(1n, "USDT"), saving(399n, "USDT")]],
  ["a fee by the owner beside a pull", [fee(1n), saving(399n, "USDC", DELEGATE)]],
  ["a fee of another wallet", [move(SHOP, COLLECTOR, 1n), saving(399n)]],
  ["0 units", [fee(1n), saving(0n)]],
  ["a transfer to itself", [fee(1n), move(ME, ME, 399n)]],
  ["two fees", [fee(1n), move(ME, COLLECTORS[1]!, 399n)]],
  ["a saving that is not beside its fee", [fee(1n), move(SHOP, ME, 5n), saving(399n)]],
])("a wallet saves nothing with %s", (_caseName, movements) => {
  expect(listSavedInto(movements, ME, COLLECTORS)).toEqual([]);
});

const currencies = fc.constantFrom<Currency>("SOL", "USDC", "USDT");
const amounts = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test("savings and fees of pairs add up to what left the wallet", () => {
  const pairs = fc.array(
    fc.tuple(
      fc.constantFrom<Currency>("SOL", "USDC"),
      amounts,
      amounts.filter((n) => n > 0n),
    ),
  );
  fc.assert(
    fc.property(pairs, (list) => {
      const movements = list.flatMap(([currency, fees, saved]) => [fee(fees, currency), saving(saved, currency)]);
      const [sums = { serviceWallet: SERVICE, ...NOTHING }] = listSavedInto(movements, ME, COLLECTORS);
      const sumOf = (currency: Currency) =>
        list.reduce((sum, [each, fees, saved]) => (each === currency ? sum + fees + saved : sum), 0n);
      expect([sums.savedLamports + sums.feeLamports, sums.savedUsdc + sums.feeUsdc]).toEqual([
        sumOf("SOL"),
        sumOf("USDC"),
      ]);
    }),
  );
});

test("no order of transfers makes a wallet save or pay more than it moved", () => {
  const wallets = fc.constantFrom(ME, SERVICE, SHOP, ...COLLECTORS);
  const movements = fc.array(
    fc.tuple(wallets, wallets, amounts, currencies, wallets).map((args) => move(...args)),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(movements, (list) => {
      const wraps = findWraps(list, COLLECTORS).filter(({ from }) => from === ME);
      const isFee = ({ to }: Movement) => COLLECTORS.includes(to);
      const sumMoved = (ofFees: boolean, read: (movement: Movement) => bigint) =>
        list.reduce((sum, each) => (each.from === ME && isFee(each) === ofFees ? sum + read(each) : sum), 0n);
      const readUsdc = ({ token }: Movement) => (token?.mint === ASSETS.USDC.mint ? token.amount : 0n);
      const sumWraps = (name: keyof typeof NOTHING) => wraps.reduce((sum, wrap) => sum + wrap[name], 0n);
      expect(sumWraps("savedUsdc")).toBeLessThanOrEqual(sumMoved(false, readUsdc));
      expect(sumWraps("feeUsdc")).toBeLessThanOrEqual(sumMoved(true, readUsdc));
      expect(sumWraps("savedLamports")).toBeLessThanOrEqual(sumMoved(false, ({ lamports }) => lamports));
      expect(sumWraps("feeLamports")).toBeLessThanOrEqual(sumMoved(true, ({ lamports }) => lamports));
    }),
  );
});
