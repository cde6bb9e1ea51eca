import { VersionedTransaction } from "@solana/web3.js";
import { afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { ASSETS } from "../../lib/domain/assets";
import { NATIVE_MINT } from "../../lib/solana/programs";
import {
  buy,
  chain,
  compose,
  healSandbox,
  lamportsOf,
  newSaver,
  rentMinimum,
  type Saver,
  transfer,
} from "../support/chain/chain";
import { issueTo, land, newIssuer, tokensOf, wrapSolFor } from "../support/chain/tokens";
import { expectFailure } from "../support/client/answers";
import {
  type DataAt,
  data,
  execute,
  fund,
  newWallet,
  post,
  signTransaction,
  type Wallet,
} from "../support/client/client";

afterEach(healSandbox);

const FEE = 5_000;

/** Creates a saver whose service wallet holds `sol`. */
const saverWith = (sol: number) => newSaver({ userSol: 0, serviceSol: sol });

const ask = (saver: Saver, destination: string, fields: Record<string, unknown>) =>
  post(
    "/api/withdraw/build",
    { serviceWalletPubkey: saver.service.address, destination, ...fields },
    { headers: saver.user.headers },
  );

type Build = DataAt<"POST", "/api/withdraw/build">;

/** Signs every transaction with the service wallet alone, and relays them in order. */
async function run(saver: Saver, { transactions }: Build): Promise<void> {
  for (const { transaction } of transactions) {
    await data(execute(signTransaction(transaction, saver.service.keys), saver.user.headers));
  }
}

/** Builds and relays a withdrawal. @returns the build */
async function withdraw(saver: Saver, destination: string, fields: Record<string, unknown>): Promise<Build> {
  const built = await data(ask(saver, destination, fields));
  expect(built).toMatchObject({ ready: true, reason: null, destination });
  await run(saver, built);
  return built;
}

/** Checks the build's figures against the chain, to the lamport. */
async function expectAsSaid(saver: Saver, destination: string, before: number[], built: Build): Promise<void> {
  const { costs, remainingLamports, receivedLamports, transactions } = built;
  const [left, received] = await lamportsOf(saver.service.address, destination);
  expect({ left, received: received! - before[1]! }).toEqual({ left: remainingLamports, received: receivedLamports });
  expect(costs.networkFeeLamports).toBe(FEE * transactions.length);
  expect(before[0]! + costs.returnedDepositLamports).toBe(
    costs.networkFeeLamports + costs.tokenAccountDepositLamports + receivedLamports + remainingLamports,
  );
}

const balances = (saver: Saver, destination: string) => lamportsOf(saver.service.address, destination);

describe("all", () => {
  test("empties a wallet after swaps into two assets, and everything arrives to the lamport", async () => {
    const saver = await saverWith(1);
    const destination = (await newWallet()).address;
    const allocations = [
      { asset: "BTC", pct: 60 },
      { asset: "USDC", pct: 40 },
    ];
    await buy(saver, { allocations });
    const bought = await tokensOf(saver.service.address);
    expect(Object.keys(bought).sort()).toEqual([ASSETS.BTC.mint, ASSETS.USDC.mint].sort());
    const before = await balances(saver, destination);

    const built = await withdraw(saver, destination, { all: true });
    expect(built.transactions).toHaveLength(1);
    const sent = built.transactions[0]!.assets;
    expect(sent.slice(0, 2)).toEqual(
      expect.arrayContaining([
        { asset: "BTC", symbol: "BTC", mint: ASSETS.BTC.mint, amount: `${bought[ASSETS.BTC.mint]}`, decimals: 8 },
        { asset: "USDC", symbol: "USDC", mint: ASSETS.USDC.mint, amount: `${bought[ASSETS.USDC.mint]}`, decimals: 6 },
      ]),
    );
    expect(sent[2]).toEqual({
      asset: "SOL",
      symbol: "SOL",
      mint: NATIVE_MINT,
      amount: String(built.receivedLamports),
      decimals: 9,
    });
    expect(built).toMatchObject({ remainingLamports: 0, complete: true, leftBehind: [] });
    expect(built.costs.tokenAccountDepositLamports).toBe(2 * (await rentMinimum(165)));

    await expectAsSaid(saver, destination, before, built);
    expect(await chain().getAccountInfo(signerOf(built))).toBeNull();
    expect(await tokensOf(saver.service.address)).toEqual({});
    expect(await tokensOf(destination)).toEqual(bought);
  });

  test("builds an unsigned version 0 transaction that the service wallet alone pays for and signs", async () => {
    const saver = await saverWith(0.5);
    const built = await data(ask(saver, (await newWallet()).address, { all: true }));
    const { transaction, unsigned, lastValidBlockHeight, networkFeeLamports } = built.transactions[0]!;
    const { message, signatures } = VersionedTransaction.deserialize(Buffer.from(transaction, "base64"));
    expect(message.version).toBe(0);
    expect(signatures.map((signature) => signature.every((byte) => byte === 0))).toEqual([true]);
    expect(message.staticAccountKeys[0]?.toBase58()).toBe(saver.service.address);
    expect(networkFeeLamports).toBe(FEE);
    expect(unsigned).toEqual({ base64: transaction, blockhash: message.recentBlockhash, lastValidBlockHeight });
    expect(lastValidBlockHeight).toBeGreaterThan(await chain().getBlockHeight());
  });

  test("uses the destination's token accounts instead of opening new ones", async () => {
    const saver = await saverWith(0.5);
    const other = await saverWith(0.5);
    await buy(saver, {});
    await buy(other, {});
    const destination = other.service.address;
    expectFailure(await ask(saver, destination, { all: true }), "wallet_not_allowed");
    const built = await withdraw(saver, destination, { asset: "BTC" });
    expect(built.costs.tokenAccountDepositLamports).toBe(0);
    expect(await tokensOf(saver.service.address)).toEqual({});
  });

  describe("a wallet with every kind of account", () => {
    let issuer: Wallet;
    beforeAll(async () => {
      issuer = await newIssuer();
    });

    test("closes, unwraps and sends wrapped SOL, empty accounts and Token-2022 with a transfer fee", async () => {
      const saver = await saverWith(0.1);
      const destination = (await newWallet()).address;
      const owner = saver.service.address;
      await wrapSolFor(issuer, owner, 70_000_000);
      await issueTo(issuer, owner, { amount: 0n });
      const plain = await issueTo(issuer, owner, { kind: "2022", amount: 77n });
      const withFee = await issueTo(issuer, owner, { kind: "2022 with a transfer fee", amount: 100_000n });
      const before = await balances(saver, destination);
      const built = await withdraw(saver, destination, { all: true });
      await expectAsSaid(saver, destination, before, built);
      expect(built.remainingLamports).toBe(0);
      expect(built.receivedLamports).toBeGreaterThan(170_000_000);
      expect(await tokensOf(owner)).toEqual({});
      // The mint withholds 0.1 % in the recipient's account.
      expect(await tokensOf(destination)).toEqual({ [plain.mint]: 77n, [withFee.mint]: 99_900n });
    });

    test("names and leaves what cannot be sent, and withdraws the rest", async () => {
      const saver = await saverWith(0.1);
      const destination = (await newWallet()).address;
      const owner = saver.service.address;
      const frozen = await issueTo(issuer, owner, { amount: 5n, frozen: true });
      const bound = await issueTo(issuer, owner, { kind: "2022 non-transferable", amount: 6n });
      const free = await issueTo(issuer, owner, { amount: 7n });
      const built = await withdraw(saver, destination, { all: true });
      expect(built.leftBehind).toHaveLength(2);
      expect(built.leftBehind).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ mint: frozen.mint, amount: "5", reason: expect.stringMatching(/frozen/) }),
          expect.objectContaining({ mint: bound.mint, amount: "6", reason: expect.stringMatching(/non-transferable/) }),
        ]),
      );
      expect(await tokensOf(owner)).toEqual({ [frozen.mint]: 5n, [bound.mint]: 6n });
      expect(await tokensOf(destination)).toEqual({ [free.mint]: 7n });
      expect(await lamportsOf(owner)).toEqual([0]);
    });

    test("splits a large withdrawal into transactions that fit, with the SOL in the last one", async () => {
      const saver = await saverWith(0.1);
      const destination = (await newWallet()).address;
      const owner = saver.service.address;
      for (let i = 0; i < 10; i++) await issueTo(issuer, owner, { amount: BigInt(i + 1) });
      const held = await tokensOf(owner);
      const before = await balances(saver, destination);
      const built = await withdraw(saver, destination, { all: true });
      expect(built.transactions.length).toBeGreaterThan(1);
      const sol = built.transactions.map(({ assets }) => assets.filter(({ asset }) => asset === "SOL"));
      expect(sol.map((list) => list.length)).toEqual([...Array(sol.length - 1).fill(0), 1]);
      for (const { transaction } of built.transactions) {
        expect(Buffer.from(transaction, "base64").length).toBeLessThanOrEqual(1_232);
      }
      await expectAsSaid(saver, destination, before, built);
      expect(built.remainingLamports).toBe(0);
      expect(await tokensOf(owner)).toEqual({});
      expect(await tokensOf(destination)).toEqual(held);
    });
  });
});

const signerOf = ({ transactions }: Build) =>
  VersionedTransaction.deserialize(Buffer.from(transactions[0]!.transaction, "base64")).message.staticAccountKeys[0]!;

describe("a part", () => {
  test("sends exactly the requested SOL to a new wallet, and keeps the rest", async () => {
    const saver = await saverWith(0.5);
    const destination = (await newWallet()).address;
    const before = await balances(saver, destination);
    const built = await withdraw(saver, destination, { asset: "SOL", amount: "200000000" });
    expect(built).toMatchObject({ receivedLamports: 200_000_000, remainingLamports: 300_000_000 - FEE });
    await expectAsSaid(saver, destination, before, built);
  });

  test("sends all SOL, leaves exactly 0, and keeps the tokens", async () => {
    const saver = await saverWith(0.5);
    const destination = (await newWallet()).address;
    await buy(saver, {});
    const held = await tokensOf(saver.service.address);
    const before = await balances(saver, destination);
    const built = await withdraw(saver, destination, { asset: "SOL" });
    await expectAsSaid(saver, destination, before, built);
    expect(built.remainingLamports).toBe(0);
    expect(await tokensOf(saver.service.address)).toEqual(held);
  });

  test("sends a part of a token and keeps its account open; sending the rest closes it", async () => {
    const saver = await saverWith(0.5);
    const destination = (await newWallet()).address;
    await buy(saver, {});
    const { [ASSETS.BTC.mint]: held = 0n } = await tokensOf(saver.service.address);
    const half = held / 2n;
    let before = await balances(saver, destination);
    const part = await withdraw(saver, destination, { asset: "BTC", amount: String(half) });
    expect(part).toMatchObject({ receivedLamports: 0, costs: { returnedDepositLamports: 0 } });
    expect(part.transactions[0]!.assets).toEqual([expect.objectContaining({ asset: "BTC", amount: String(half) })]);
    await expectAsSaid(saver, destination, before, part);
    expect(await tokensOf(saver.service.address)).toEqual({ [ASSETS.BTC.mint]: held - half });

    before = await balances(saver, destination);
    const rest = await withdraw(saver, destination, { asset: "BTC" });
    expect(rest.costs).toMatchObject({
      tokenAccountDepositLamports: 0,
      returnedDepositLamports: await rentMinimum(165),
    });
    await expectAsSaid(saver, destination, before, rest);
    expect(await tokensOf(saver.service.address)).toEqual({});
    expect(await tokensOf(destination)).toEqual({ [ASSETS.BTC.mint]: held });
  });
});

describe("200: not ready", () => {
  test("is not ready for an empty wallet", async () => {
    const saver = await saverWith(0);
    const { address } = await newWallet();
    expect(await data(ask(saver, address, { all: true }))).toMatchObject({
      ready: false,
      reason: "There is nothing to withdraw: the wallet holds no SOL and no tokens.",
      transactions: [],
      remainingLamports: 0,
      receivedLamports: 0,
    });
    const part = await data(ask(saver, address, { asset: "ETH" }));
    expect(part).toMatchObject({ ready: false, reason: expect.stringMatching(/no ETH/) });
  });

  test("is not ready for more SOL or tokens than there are", async () => {
    const saver = await saverWith(0.5);
    const { address } = await newWallet();
    const sol = await data(ask(saver, address, { asset: "SOL", amount: "500000000" }));
    expect(sol).toMatchObject({ ready: false, reason: expect.stringMatching(/exceeds the balance.* 499995000 /) });
    expect(sol).toMatchObject({ remainingLamports: 500_000_000, receivedLamports: 0, transactions: [] });
    await buy(saver, {});
    const token = await data(ask(saver, address, { asset: "BTC", amount: "18446744073709551615" }));
    expect(token).toMatchObject({ ready: false, reason: expect.stringMatching(/exceeds the balance/) });
  });

  test("names the largest amount that leaves the rent-exempt minimum, and that amount works", async () => {
    const saver = await saverWith(0.1);
    const { address } = await newWallet();
    const rent = await rentMinimum();
    const most = 100_000_000 - FEE - rent;
    const over = await data(ask(saver, address, { asset: "SOL", amount: String(most + 1) }));
    expect(over).toMatchObject({ ready: false, reason: expect.stringMatching(new RegExp(`at most ${most} lamports`)) });
    const built = await withdraw(saver, address, { asset: "SOL", amount: String(most) });
    expect(built.remainingLamports).toBe(rent);
    expect(await lamportsOf(saver.service.address)).toEqual([rent]);
  });

  test("is not ready when a new destination would get less than the rent-exempt minimum", async () => {
    const saver = await saverWith(0.1);
    const answer = await data(ask(saver, (await newWallet()).address, { asset: "SOL", amount: "1000" }));
    expect(answer).toMatchObject({ ready: false, reason: expect.stringMatching(/destination does not exist yet/) });
    expect(answer.reason).toContain(String(await rentMinimum()));
  });

  test("empties no wallet below the rent-exempt minimum and one fee, which the runtime refuses too", async () => {
    const saver = await saverWith(0);
    const destination = (await newWallet()).address;
    const least = (await rentMinimum()) + FEE;
    await fund(saver.service.address, (least - 1) / 1e9);
    const short = await data(ask(saver, destination, { all: true }));
    expect(short).toMatchObject({ ready: false, reason: expect.stringMatching(/lacks 1 lamports/) });
    const instructions = [transfer(saver.service.address, destination, least - 1 - FEE)];
    const own = await compose({ signers: [saver.service], instructions });
    const { value } = await chain().simulateTransaction(VersionedTransaction.deserialize(Buffer.from(own, "base64")));
    expect(value.err).toMatchObject({ InsufficientFundsForRent: expect.anything() });

    const issuer = await newIssuer();
    await land(
      await compose({ signers: [issuer], instructions: [transfer(issuer.address, saver.service.address, 1)] }),
    );
    const all = () => data(ask(saver, destination, { all: true }));
    await expect.poll(all, { timeout: 30_000 }).toMatchObject({ ready: true });
    const built = await withdraw(saver, destination, { all: true });
    expect(built).toMatchObject({ receivedLamports: least - FEE, remainingLamports: 0 });
  });

  test("is not ready for tokens without the SOL to move them", async () => {
    const saver = await saverWith(0);
    await issueTo(await newIssuer(), saver.service.address, { amount: 5n });
    const answer = await data(ask(saver, (await newWallet()).address, { all: true }));
    const needed = FEE + Math.max(await rentMinimum(), await rentMinimum(165));
    expect(answer).toMatchObject({ ready: false, reason: expect.stringMatching(/cannot pay the network fees/) });
    expect(answer.reason).toContain(`lacks ${needed} lamports`);
  });
});

describe("400", () => {
  const body = async () => ({ saver: await saverWith(0), destination: (await newWallet()).address });

  test("wallets_equal: refuses a withdrawal into the same wallet", async () => {
    const { saver } = await body();
    expectFailure(await ask(saver, saver.service.address, { all: true }), "wallets_equal");
  });

  test("wallet_not_allowed: refuses a fee collector at either end", async () => {
    const { saver, destination } = await body();
    const [collector] = inject("doors").feeCollectors;
    expectFailure(await ask(saver, collector!, { all: true }), "wallet_not_allowed");
    const from = { serviceWalletPubkey: collector, destination, all: true };
    expectFailure(await post("/api/withdraw/build", from, { headers: saver.user.headers }), "wallet_not_allowed");
  });

  test("invalid_address: refuses an address off the curve, and the address of a mint", async () => {
    const { saver } = await body();
    expectFailure(await ask(saver, "nope", { all: true }), "invalid_address");
    const { mint } = await issueTo(await newIssuer(), saver.service.address);
    const answer = await ask(saver, mint, { all: true });
    expectFailure(answer, "invalid_address");
    expect(answer.body.error).toMatch(/a mint or a program, not a wallet/);
  });
});
