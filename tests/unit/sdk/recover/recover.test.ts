import { SolanaJSONRPCError, VersionedTransaction } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { runRevocation } from "../../../../lib/cli/commands/recover";
import { ASSETS, OTHER_DOLLARS } from "../../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../../lib/domain/dollar-accounts";
import { encodeMint } from "../../../../lib/sandbox/chain/token-accounts";
import { createDerivationText, inspect, type RecoverOptions, recover } from "../../../../lib/sdk/recover/recover";
import { inspectAllowance, revokeAllowance } from "../../../../lib/sdk/recover/revoke-allowance";
import { retryUntilNodeCaughtUp } from "../../../../lib/sdk/recover/send";
import { MAX_PRIORITY_FEE_LAMPORTS } from "../../../../lib/solana/compute-budget";
import type { InstructionLike } from "../../../../lib/solana/instructions";
import { NATIVE_MINT, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import { readTokenAccount } from "../../../../lib/solana/token-accounts";
import {
  buildApproveChecked,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../../../lib/solana/token-instructions";
import { ONE_SOL, putAccount, putTokens } from "../../../support/chain/sandbox-rig";
import { toTestWallet } from "../../../support/fixtures/test-wallets";
import { createRecoverRig } from "../../../support/worlds/recover-rig";
import { buildTransaction } from "../../../support/worlds/relay-rig";

type Rig = ReturnType<typeof createRecoverRig>;
/** Creates a service wallet that holds one SOL. */
const createFundedRig = () => {
  const rig = createRecoverRig();
  rig.chain.airdrop(rig.serviceWallet, ONE_SOL);
  return rig;
};
const createOptions = (
  { wallet: owner, connection: chain, clock }: Rig,
  overrides: Partial<RecoverOptions> = {},
): RecoverOptions => ({ owner, origin: "sandbox", chain, clock, ...overrides });
const readAmount = ({ chain }: Rig, owner: string, { mint, program }: { mint: string; program: string }) => {
  const account = chain.getAccount(deriveAssociatedTokenAddress(owner, mint, program));
  return account && readTokenAccount(account.data)!.amount;
};

describe("recovery", () => {
  test("sends tokens of both programs, wrapped SOL and SOL, down to exactly 0", async () => {
    const rig = createFundedRig();
    const holdings = [rig.putTokens(700n), rig.putTokens(800n, { program: TOKEN_2022_PROGRAM }), rig.putTokens(0n)];
    const wrappedSol = rig.putTokens(3n * ONE_SOL, { mint: NATIVE_MINT });
    const inspection = await inspect(createOptions(rig));
    const addresses = { serviceWallet: rig.serviceWallet, destination: rig.owner.address };
    expect(inspection).toMatchObject({ ...addresses, lamports: ONE_SOL, transactions: 1 });
    expect(inspection.tokens.map(({ amount }) => amount).sort()).toEqual([0n, 3n * ONE_SOL, 700n, 800n].sort());
    expect(rig.listSentTransactions()).toEqual([]);

    const { landed, ...result } = await recover(createOptions(rig));
    expect(result).toEqual(inspection);
    expect(landed).toHaveLength(1);
    expect(readAmount(rig, rig.owner.address, holdings[0]!)).toBe(700n);
    expect(readAmount(rig, rig.owner.address, holdings[1]!)).toBe(800n);
    for (const { account } of [...holdings, wrappedSol]) expect(rig.chain.getAccount(account)).toBeNull();
    expect(rig.chain.getAccount(rig.serviceWallet)).toBeNull();
    expect(rig.readLamports(rig.owner.address)).toBe(inspection.sentLamports);
    // Everything arrives except the fees and the rent of the two accounts opened for the owner.
    const returnedRent = [...holdings, wrappedSol].reduce((sum, { rentLamports }) => sum + rentLamports, 0n);
    const openedRent = [holdings[0]!, holdings[1]!].reduce(
      (sum, { mint, program }) =>
        sum + rig.readLamports(deriveAssociatedTokenAddress(rig.owner.address, mint, program)),
      0n,
    );
    expect(inspection.sentLamports).toBe(
      ONE_SOL + 3n * ONE_SOL + returnedRent - openedRent - inspection.networkFeeLamports,
    );
  });

  test("continues until the wallet is empty when the accounts exceed one plan", async () => {
    const rig = createFundedRig();
    for (let i = 0; i < 70; i++) rig.putTokens(BigInt(i % 2));
    const { landed } = await recover(createOptions(rig, { destination: toTestWallet("elsewhere").address }));
    expect(new Set(rig.listSentTransactions()).size).toBe(landed.length);
    expect(rig.listSentTransactions()).toHaveLength(landed.length);
    expect(rig.chain.getAccount(rig.serviceWallet)).toBeNull();
    expect((await inspect(createOptions(rig))).tokens).toEqual([]);
  });

  test("offers the recent priority fee within the cap", async () => {
    const rig = createFundedRig();
    rig.putTokens(5n);
    rig.putTokens(5n, { program: TOKEN_2022_PROGRAM });
    rig.putTokens(0n);
    const absurdFees = [{ slot: 1, prioritizationFee: 10 ** 12 }];
    const chain = Object.create(rig.connection, { getRecentPrioritizationFees: { value: async () => absurdFees } });
    const { networkFeeLamports } = await inspect(createOptions(rig, { chain }));
    expect(networkFeeLamports).toBeGreaterThan(5_000n);
    expect(networkFeeLamports).toBeLessThanOrEqual(5_000n + MAX_PRIORITY_FEE_LAMPORTS);
    const { landed, sentLamports } = await recover(createOptions(rig, { chain }));
    expect(landed).toHaveLength(1);
    expect(rig.readLamports(rig.owner.address)).toBe(sentLamports);
    expect(rig.chain.getAccount(rig.serviceWallet)).toBeNull();
  });
});

describe("recovery when everything at once is refused", () => {
  /** Returns the rig's node, which refuses signed transactions with more than this many instructions. */
  const createChainThatRefusesLong = ({ connection }: Rig, maxInstructions: number): RecoverOptions["chain"] =>
    Object.create(connection, {
      simulateTransaction: {
        async value(...query: Parameters<typeof connection.simulateTransaction>) {
          const [transaction] = query;
          const simulation = await connection.simulateTransaction(...query);
          const isSigned =
            transaction instanceof VersionedTransaction && transaction.signatures[0]!.some((byte) => byte !== 0);
          if (!isSigned || transaction.message.compiledInstructions.length <= maxInstructions) return simulation;
          return { ...simulation, value: { ...simulation.value, err: { InstructionError: [1, { Custom: 77 }] } } };
        },
      },
    });

  test("sends each asset on its own, and lists what stays with the reason", async () => {
    const rig = createFundedRig();
    const usdc = rig.putTokens(5n, { mint: ASSETS.USDC.mint });
    rig.putTokens(7n, { mint: ASSETS.BTC.mint, isFrozen: true });
    const junk = rig.putTokens(9n);
    // An unknown token makes the first plan too long, and a second known one the plan that keeps the rent minimum.
    const eth = rig.putTokens(6n, { mint: ASSETS.ETH.mint });
    const result = await recover(createOptions(rig, { chain: createChainThatRefusesLong(rig, 5) }));
    expect(result).toMatchObject({ reason: null, stopReason: expect.stringContaining("77"), lamports: ONE_SOL });
    expect([usdc, eth].map((holding) => readAmount(rig, rig.owner.address, holding))).toEqual([5n, 6n]);
    expect(result.landed).toHaveLength(3);
    expect(rig.chain.getAccount(rig.serviceWallet)).toBeNull();
    expect(result.remainingLamports).toBe(0n);
    expect(result.tokens).toHaveLength(4);
    expect(result.leftBehind.map(({ mint, reason }) => [mint, reason]).sort()).toEqual(
      [
        [ASSETS.BTC.mint, "Its issuer has frozen the token account."],
        [junk.mint, expect.stringContaining("one by one")],
      ].sort(),
    );
    expect(result.leftOut).toEqual([]);
  });

  test("names every asset and the SOL that stay when the node refuses each of them too", async () => {
    const rig = createFundedRig();
    rig.putTokens(5n, { mint: ASSETS.USDC.mint });
    const result = await recover(createOptions(rig, { chain: createChainThatRefusesLong(rig, 0) }));
    expect(result).toMatchObject({ landed: [], reason: expect.stringContaining("77"), remainingLamports: ONE_SOL });
    expect(result.leftBehind.map(({ symbol, amount }) => [symbol, amount])).toEqual([
      ["USDC", 5n],
      ["SOL", ONE_SOL],
    ]);
  });

  test("still throws when the one requested asset is refused", async () => {
    const rig = createFundedRig();
    rig.putTokens(5n, { mint: ASSETS.USDC.mint });
    const options = createOptions(rig, { asset: "USDC", chain: createChainThatRefusesLong(rig, 0) });
    await expect(recover(options)).rejects.toMatchObject({ name: "RecoverError" });
  });
});

describe("recovery with a wrong first plan", () => {
  test.each(["flat", "resource-10", "resource-4", "resource-2"] as const)(
    "ends at exactly 0 on a node that does not tell fees beforehand, when the network charges %s",
    async (model) => {
      const rig = createFundedRig();
      rig.chain.setFeeModel(model);
      rig.putTokens(5n);
      const getFeeForMessage = async () => ({ context: { slot: 1 }, value: null });
      const chain = Object.create(rig.connection, { getFeeForMessage: { value: getFeeForMessage } });
      const { landed, networkFeeLamports, keepsRentMinimum } = await recover(createOptions(rig, { chain }));
      expect(landed).toHaveLength(1);
      expect(keepsRentMinimum).toBe(false);
      expect(rig.chain.getAccount(rig.serviceWallet)).toBeNull();
      expect(networkFeeLamports).toBe(BigInt(rig.chain.findTransaction(landed[0]!)!.fee));
    },
  );

  test("asks for twice the units once if the first plan lacks units", async () => {
    const rig = createFundedRig();
    rig.putTokens(5n);
    const { connection } = rig;
    const chain = Object.create(connection, {
      simulateTransaction: {
        async value(...query: Parameters<typeof connection.simulateTransaction>) {
          const simulation = await connection.simulateTransaction(...query);
          const isDraft =
            query[0] instanceof VersionedTransaction && query[0].signatures[0]!.every((byte) => byte === 0);
          if (!isDraft) return simulation;
          const unitsConsumed = Math.ceil(simulation.value.unitsConsumed! * 0.6);
          return { ...simulation, value: { ...simulation.value, unitsConsumed } };
        },
      },
    });
    const { landed, keepsRentMinimum } = await recover(createOptions(rig, { chain }));
    expect([landed.length, keepsRentMinimum]).toEqual([1, false]);
    expect(rig.chain.getAccount(rig.serviceWallet)).toBeNull();
  });
});

describe("partial recovery", () => {
  const [btc, usdc] = [ASSETS.BTC, ASSETS.USDC];

  test.each([
    ["USDC", usdc.mint, TOKEN_PROGRAM],
    ["PYUSD", OTHER_DOLLARS.PYUSD.mint, TOKEN_2022_PROGRAM],
  ] as const)("sends and lists only the requested asset: %s", async (asset, mint, program) => {
    const rig = createFundedRig();
    const holdings = [rig.putTokens(5n, { mint: btc.mint }), rig.putTokens(5n, { mint, program })];
    const { landed, tokens } = await recover(createOptions(rig, { asset }));
    expect([landed.length, tokens.map(({ symbol }) => symbol)]).toEqual([1, [asset]]);
    expect(readAmount(rig, rig.owner.address, holdings[1]!)).toBe(5n);
    expect(rig.chain.getAccount(holdings[0]!.account)).not.toBeNull();
    expect(rig.readLamports(rig.serviceWallet)).toBeGreaterThan(ONE_SOL / 2n);
  });

  test("sends every asset that can be sent, and lists the others", async () => {
    const rig = createFundedRig();
    rig.putTokens(7n, { mint: btc.mint, isFrozen: true });
    const freeHolding = rig.putTokens(5n, { mint: usdc.mint });
    const dollars = rig.putTokens(6n, { mint: OTHER_DOLLARS.CASH.mint, program: TOKEN_2022_PROGRAM });
    const { leftBehind, leftOut, reason } = await recover(createOptions(rig, { partial: true }));
    expect(reason).toBeNull();
    expect(readAmount(rig, rig.owner.address, freeHolding)).toBe(5n);
    expect(readAmount(rig, rig.owner.address, dollars)).toBe(6n);
    expect(leftBehind).toMatchObject([{ symbol: "BTC", amount: 7n, reason: expect.stringContaining("frozen") }]);
    expect(leftOut).toEqual([{ account: null, reason: expect.stringContaining("not looked at") }]);
    expect(rig.chain.getAccount(rig.serviceWallet)).toBeNull();
  });

  test("leaves SOL in the wallet while an asset still needs it", async () => {
    const rig = createRecoverRig();
    rig.chain.airdrop(rig.serviceWallet, rig.chain.computeRentExemptMinimum(0) + 5_000n);
    rig.putTokens(5n, { mint: usdc.mint });
    const { landed, leftBehind } = await recover(createOptions(rig, { partial: true }));
    expect(landed).toEqual([]);
    expect(leftBehind).toMatchObject([
      { symbol: "USDC", reason: expect.stringMatching(/lacks \d+ lamports/) },
      { symbol: "SOL", amount: rig.readLamports(rig.serviceWallet), reason: expect.stringContaining("need it for") },
    ]);
  });
});

describe("the recovered wallet", () => {
  test("differs for each origin and index", async () => {
    const rig = createRecoverRig();
    const inspectWallet = async (origin: string, index = 0) =>
      (await inspect(createOptions(rig, { origin, index }))).serviceWallet;
    const origins = ["sandbox", "https://a.example", "https://b.example"];
    const wallets = await Promise.all(origins.map((origin) => inspectWallet(origin)));
    expect(new Set([...wallets, await inspectWallet("sandbox", 1)]).size).toBe(4);
    expect(await inspectWallet("https://a.example/")).toBe(wallets[1]);
    expect(createDerivationText("https://a.example")).toContain("(https://a.example)");
  });

  test.each(["a.example", "https://a.example/page", "", "Sandbox", "data:x"])(
    "has no derivation text for the origin %j",
    (origin) => {
      expect(() => createDerivationText(origin)).toThrow(RangeError);
    },
  );

  test("is not looked up when the signature is from another wallet", async () => {
    const rig = createRecoverRig();
    const owner = { ...rig.wallet, address: toTestWallet("somebody").address };
    await expect(recover(createOptions(rig, { owner }))).rejects.toMatchObject({ name: "WrongAccountError" });
    expect(rig.requests).toEqual([]);
  });

  test.each([
    ["a closed token account of the owner", (rig: Rig) => deriveAssociatedTokenAddress(rig.owner.address, NATIVE_MINT)],
    ["an address of small order", () => "11111111111111111111111111111111"],
    ["an invalid address", () => "roundup"],
    ["itself", (rig: Rig) => rig.serviceWallet],
  ])("cannot be sent to %s", async (_caseName, findDestination) => {
    const rig = createFundedRig();
    await expect(recover(createOptions(rig, { destination: findDestination(rig) }))).rejects.toThrow("The destination");
    expect([rig.listSentTransactions(), rig.requests]).toEqual([[], []]);
  });

  test("cannot be sent to a mint", async () => {
    const rig = createFundedRig();
    const { mint: destination } = rig.putTokens(5n);
    await expect(recover(createOptions(rig, { destination }))).rejects.toThrow(RangeError);
    expect(rig.listSentTransactions()).toEqual([]);
  });
});

describe("retryUntilNodeCaughtUp", () => {
  /** Runs a task that fails the first time. @returns how often it ran, or the error that was not retried */
  async function runFailingOnce(error: unknown) {
    let runCount = 0;
    const task = async () => {
      runCount += 1;
      if (runCount === 1) throw error;
      return runCount;
    };
    return retryUntilNodeCaughtUp({ now: () => 0, sleep: async () => {} }, task).catch((thrown: unknown) => thrown);
  }
  const createRpcError = (code: number) => new SolanaJSONRPCError({ code, message: "refused" });
  const createNamedError = (name: string) => Object.assign(new TypeError("At path: value"), { name });

  test.each<[string, boolean, unknown]>([
    ["of a node behind the requested slot", true, createRpcError(-32016)],
    ["of an unhealthy node", true, createRpcError(-32005)],
    ["of a failed connection", true, Object.assign(new TypeError("fetch failed"), { code: "ECONNREFUSED" })],
    ["503", true, new Error("503 Service Unavailable: ")],
    ["429", true, new Error("429 Too Many Requests: ")],
    ["of invalid parameters", false, createRpcError(-32602)],
    ["of an unknown method", false, createRpcError(-32601)],
    ["of a destination that is not a wallet", false, new RangeError("That destination is a token account.")],
    ["of a malformed response", false, createNamedError("StructError")],
    ["401", false, new Error("401 Unauthorized: ")],
  ])("after an error %s retries: %s", async (_caseName, isRetried, error) => {
    expect(await runFailingOnce(error)).toBe(isRetried ? 2 : error);
  });
});

describe("recovery through unreliable nodes", () => {
  test("resends the same bytes after lost requests or responses", async () => {
    for (const faults of [
      { dropPercent: 60 },
      { loseAnswerPercent: 100 },
      { dropPercent: 40, loseAnswerPercent: 40, lagSlots: 6 },
    ]) {
      const rig = createFundedRig();
      for (let i = 0; i < 12; i++) rig.putTokens(1n);
      // The funds arrived before the slots that these nodes have seen.
      rig.chain.advanceSlots(20);
      rig.stagePool(faults, { lagSlots: 9 });
      const { landed } = await recover(createOptions(rig));
      expect(landed.length).toBeGreaterThan(1);
      expect(new Set(rig.listSentTransactions()).size).toBe(landed.length);
      expect(rig.chain.getAccount(rig.serviceWallet)).toBeNull();
    }
  });

  test("gives up after three expired transactions", async () => {
    const rig = createFundedRig();
    rig.stagePool({ dropPercent: 100 });
    const startMs = rig.clock.now();
    await expect(recover(createOptions(rig))).rejects.toThrow(/three times in a row/);
    expect(new Set(rig.listSentTransactions()).size).toBe(3);
    // 150 blocks and the margin, at 200 ms per block.
    expect(rig.clock.now() - startMs).toBeGreaterThanOrEqual(3 * 182 * 200);
    expect(rig.readLamports(rig.serviceWallet)).toBe(ONE_SOL);
  });

  test("reports an unknown outcome if the node returns the slot as the block height", async () => {
    const rig = createFundedRig();
    rig.stagePool({ dropPercent: 100, heightIsSlot: true });
    const message = expect.stringMatching(/not known yet whether \w{80,} landed/);
    await expect(recover(createOptions(rig))).rejects.toMatchObject({ name: "RecoverError", message });
    expect(new Set(rig.listSentTransactions()).size).toBe(1);
  });
});

describe("the end of an allowance", () => {
  const { USDC } = ASSETS;
  const delegate = toTestWallet("savings");

  /** Creates a wallet whose delegate may take 25 USDC, on the sandbox's real Token program. */
  function stageAllowance() {
    const rig = createRecoverRig();
    const { chain, owner, wallet, connection, clock } = rig;
    const send = (instruction: InstructionLike, signer: typeof owner) => {
      const { blockhash } = chain.getLatestBlockhash();
      return chain.send(buildTransaction([instruction], [signer], blockhash));
    };
    putAccount(chain, USDC.mint, TOKEN_PROGRAM, encodeMint(null, USDC.decimals));
    for (const { address } of [owner, delegate]) {
      putTokens(chain, address, USDC.mint, 100_000_000n);
      chain.airdrop(address, ONE_SOL);
    }
    const account = deriveUsdcAccount(owner.address);
    const approval = { account, owner: owner.address, delegate: delegate.address, ...USDC, amount: 25_000_000n };
    send(buildApproveChecked(approval), owner);
    return { rig, account, send, options: { owner: wallet, chain: connection, clock } };
  }

  test("needs only the wallet's key and a node. The delegate takes nothing more, and a second end sends nothing", async () => {
    const { rig, account, send, options } = stageAllowance();
    expect(await inspectAllowance(options)).toMatchObject({ delegate: delegate.address, amount: 25_000_000n });
    const { signature } = await revokeAllowance(options);
    expect(rig.chain.findTransaction(signature!)).toMatchObject({ err: null });
    expect(await inspectAllowance(options)).toMatchObject({ delegate: null, amount: 0n });
    rig.chain.advanceSlots(1);
    const ends = { source: account, destination: deriveUsdcAccount(delegate.address), authority: delegate.address };
    expect(() => send(buildTransferChecked({ ...ends, ...USDC, amount: 1_000_000n }), delegate)).toThrow();
    const { length } = rig.listSentTransactions();
    expect((await revokeAllowance(options)).signature).toBeNull();
    expect(rig.listSentTransactions()).toHaveLength(length);
  });

  test("in the command names the delegate and what it may take, and sends nothing in a dry run", async () => {
    const { account, options } = stageAllowance();
    const run = async (isDryRun = false) => {
      const lines: string[] = [];
      return [
        await runRevocation({ ...options, isDryRun, isJson: false }, (line) => lines.push(line)),
        lines.join("\n"),
      ];
    };
    const text = `${delegate.address} may take 25 USDC from your account ${account}.`;
    expect(await run(true)).toEqual([0, `${text}\nThis would end it.`]);
    expect(await run()).toEqual([0, expect.stringMatching(/may take 25 USDC.*\nEnded: \w+$/)]);
    expect(await run()).toEqual([3, "Nobody may take USDC from your account."]);
  });
});
