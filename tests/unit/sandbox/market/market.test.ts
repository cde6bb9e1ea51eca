import { beforeEach, describe, expect, test } from "vitest";
import { ASSETS, OTHER_DOLLARS } from "../../../../lib/domain/assets";
import { QUOTE_TTL_MS } from "../../../../lib/sandbox/market/escrows";
import { LISTINGS } from "../../../../lib/sandbox/market/quote";
import { LAMPORTS_PER_SOL as SOL } from "../../../../lib/solana/lamports";
import { NATIVE_MINT, TOKEN_2022_PROGRAM } from "../../../../lib/solana/programs";
import { fundKeypair } from "../../../support/chain/sandbox-rig";
import {
  type BuildAnswer,
  createMarketRig,
  findEscrow,
  INSUFFICIENT_FUNDS,
  type MarketRig,
  OWNER_MISMATCH,
  SWAP_FEE_LAMPORTS,
  withSwapAmount,
} from "../../../support/worlds/market-rig";

const BTC = ASSETS.BTC.mint;

let rig: MarketRig;
beforeEach(() => {
  rig = createMarketRig();
});
const readMakerCoins = () => rig.readTokens(BTC, rig.market.makerAddress)!;
const readMakerLamports = () => rig.readLamports(rig.market.makerAddress);
/** Returns the rent-exempt minimum of a token account, lamports. */
const computeRent = () => rig.chain.computeRentExemptMinimum(165);

describe("a swap", () => {
  test("fails for another wallet, or for more than was quoted", async () => {
    const answer = await rig.buildSwap();
    const makerCoinsBefore = readMakerCoins();
    const excessiveSwap = withSwapAmount(answer, BigInt(answer.outAmount) + 1n);
    expect(rig.runSwap(excessiveSwap)?.err).toEqual(INSUFFICIENT_FUNDS);
    const quotedTaker = rig.taker;
    rig.taker = fundKeypair(rig.chain);
    const thiefAnswer = await rig.buildSwap();
    const { swapInstruction } = thiefAnswer;
    const accounts = swapInstruction.accounts.with(0, answer.swapInstruction.accounts[0]!);
    const theft = { ...thiefAnswer, swapInstruction: { ...swapInstruction, accounts } };
    expect(rig.runSwap(theft)?.err).toEqual(OWNER_MISMATCH);
    rig.taker = quotedTaker;
    expect(rig.runSwap(answer)?.err).toBeNull();
    expect(readMakerCoins()).toBe(makerCoinsBefore - BigInt(thiefAnswer.outAmount));
  });
});

describe("a sale", () => {
  test("of one coin for another needs SOL only for the fee and the deposit", async () => {
    rig.runSwap(await rig.buildSwap());
    const lamportsBefore = rig.readLamports();
    const answer = await rig.buildSwap({ inputMint: BTC, outputMint: ASSETS.USDC.mint, amount: rig.readTokens(BTC)! });
    expect(rig.runSwap(answer)?.err).toBeNull();
    expect(rig.readTokens(ASSETS.USDC.mint)).toBe(BigInt(answer.outAmount));
    expect(Number(answer.outAmount) / 1e6).toBeCloseTo(150, 1);
    expect(lamportsBefore - rig.readLamports()).toBe(SWAP_FEE_LAMPORTS + computeRent());
  });

  test("of a dollar token of Token-2022 works in both directions and at the price of USDC", async () => {
    const { mint } = OTHER_DOLLARS.PYUSD;
    expect(rig.chain.getAccount(mint)?.owner).toBe(TOKEN_2022_PROGRAM);
    const purchase = await rig.buildSwap({ outputMint: mint });
    expect(rig.runSwap(purchase)?.err).toBeNull();
    const dollars = rig.readTokens(mint)!;
    expect([dollars, Number(dollars) / 1e6]).toEqual([BigInt(purchase.outAmount), expect.closeTo(150, 1)]);
    const sale = await rig.buildSwap({ inputMint: mint, outputMint: NATIVE_MINT, amount: dollars });
    expect(rig.runSwap(sale)?.err).toBeNull();
    expect(rig.readTokens(mint)).toBe(0n);
    const unusedQuote = await rig.buildSwap({ outputMint: mint });
    rig.chain.advanceSlots(151);
    rig.market.tick();
    expect(rig.chain.getAccount(findEscrow(unusedQuote))).toBeNull();
    expect(rig.errors).toEqual([]);
  });
});

describe("a quote", () => {
  const expectFailureAfter = async (change: (answer: BuildAnswer) => void, query = {}) => {
    const answer = await rig.buildSwap(query);
    const coinsBefore = rig.readTokens(BTC);
    change(answer);
    rig.market.tick();
    // Use a fresh blockhash, so that the maker refuses and not the transaction's age.
    const record = rig.runSwap(answer, rig.chain.getLatestBlockhash().blockhash);
    expect(record?.err).toEqual({ InstructionError: [4, expect.anything()] });
    expect(rig.readTokens(BTC)).toBe(coinsBefore);
    expect(rig.market.countOpenQuotes()).toBe(0);
    expect(rig.errors).toEqual([]);
  };

  test("is valid at its last valid block height, and fails after it", async () => {
    const answer = await rig.buildSwap();
    rig.chain.advanceSlots(answer.blockhashWithMetadata.lastValidBlockHeight - rig.chain.getBlockHeight());
    rig.market.tick();
    expect(rig.market.countOpenQuotes()).toBe(1);
    expect(rig.runSwap(answer)?.err).toBeNull();
    rig.market.tick();
    await expectFailureAfter(() => rig.chain.advanceSlots(151));
  });

  test("fails after blockhashSlotsToExpiry slots when that is sooner", () =>
    expectFailureAfter(
      (answer) => {
        expect(answer.blockhashWithMetadata.lastValidBlockHeight).toBe(rig.chain.getBlockHeight() + 20);
        rig.chain.advanceSlots(21);
      },
      { blockhashSlotsToExpiry: 20 },
    ));

  test("fails after a minute", () => expectFailureAfter(() => (rig.clock.nowMs += QUOTE_TTL_MS)));

  test.each([98, 102])("fails when the coin's price moves beyond the slippage of 100 bps, to %i000 USD", (percent) =>
    expectFailureAfter(() => rig.prices.setPrice("BTC", percent * 1_000)),
  );
});

describe("the maker's funds", () => {
  test("return from spent and expired escrows with the rent, at the cost of fees only", async () => {
    const coinsBefore = readMakerCoins();
    const lamportsBefore = readMakerLamports();
    const spentQuote = await rig.buildSwap();
    const expiredQuote = await rig.buildSwap();
    expect(readMakerLamports()).toBe(lamportsBefore - 2n * (computeRent() + 5_000n));
    rig.runSwap(spentQuote);
    rig.market.tick();
    expect(rig.market.countOpenQuotes()).toBe(1);
    rig.chain.advanceSlots(151);
    rig.market.tick();
    expect(rig.chain.getAccount(findEscrow(spentQuote))).toBeNull();
    expect(rig.chain.getAccount(findEscrow(expiredQuote))).toBeNull();
    expect(readMakerCoins()).toBe(coinsBefore - BigInt(spentQuote.outAmount));
    expect(readMakerLamports()).toBe(lamportsBefore + SOL - 4n * 5_000n);
  });

  test("return from escrows that an earlier market on the same chain left open", async () => {
    const answers = [await rig.buildSwap(), await rig.buildSwap({ outputMint: ASSETS.USDC.mint })];
    const nextMarket = rig.openMarket();
    expect(nextMarket.makerAddress).toBe(rig.market.makerAddress);
    for (const answer of answers) expect(rig.chain.getAccount(findEscrow(answer))).toBeNull();
    expect(readMakerCoins()).toBe(LISTINGS.get(BTC)!.inventory);
    expect(rig.errors).toEqual([]);
    rig.market = nextMarket;
    expect(rig.runSwap(await rig.buildSwap())?.err).toBeNull();
  });
});
