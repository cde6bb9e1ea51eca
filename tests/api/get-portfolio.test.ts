import { Keypair, PublicKey, SystemProgram, TransactionInstruction } from "@solana/web3.js";
import { afterEach, describe, expect, test } from "vitest";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../lib/solana/programs";
import { buy, compose, healSandbox, newSaver, rentMinimum, sendDirectly, stageFault } from "../support/chain/chain";
import { data, fund, get, newWallet, type Wallet } from "../support/client/client";

afterEach(healSandbox);

const read = (address: string) => data(get(`/api/portfolio/${address}`));

describe("200", () => {
  test("is empty for a wallet that does not exist", async () => {
    const { address } = await newWallet();
    expect(await read(address)).toEqual({
      walletAddress: address,
      network: "sandbox",
      balances: [],
      totalUsd: 0,
      pendingSol: 0,
      pendingLamports: 0,
      pendingUsd: 0,
      investableLamports: 0,
      investableUsd: 0,
      leftOut: [],
      solPriceUsd: expect.any(Number),
      asOf: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  test("shows swapped assets with their value, the most valuable first, and a total that is their sum", async () => {
    const saver = await newSaver({ userSol: 0, serviceSol: 2 });
    const allocations = [
      { asset: "USDC", pct: 10 },
      { asset: "BTC", pct: 60 },
      { asset: "SOL", pct: 30 },
    ];
    await buy(saver, { allocations });
    const { balances, totalUsd } = await read(saver.service.address);
    expect(balances.map(({ asset }) => asset)).toEqual(["BTC", "SOL", "USDC"]);
    for (const { amount, balance, decimals, priceUsd, usdValue } of balances) {
      expect(amount).toMatch(/^[1-9]\d*$/);
      expect(balance).toBeCloseTo(Number(amount) / 10 ** decimals, decimals);
      expect(usdValue).toBeCloseTo(balance * priceUsd!, 4);
    }
    const sum = balances.reduce((total, { usdValue }) => total + usdValue!, 0);
    expect(totalUsd).toBeCloseTo(sum, 6);
  });

  test.each([
    ["Token", TOKEN_PROGRAM],
    ["Token-2022", TOKEN_2022_PROGRAM],
  ])(
    "lists an unknown mint of the %s program after the assets, with null as its price, never 0",
    async (_, program) => {
      const wallet = await newWallet();
      await fund(wallet.address, 1);
      const mint = await issue(wallet, program, 12_345n);
      const { balances, totalUsd } = await read(wallet.address);
      expect(balances).toHaveLength(2);
      expect(balances[1]).toEqual({
        asset: null,
        symbol: `${mint.slice(0, 4)}…${mint.slice(-4)}`,
        mint,
        balance: 123.45,
        amount: "12345",
        decimals: 2,
        priceUsd: null,
        usdValue: null,
        unpriced: "none",
      });
      expect(totalUsd).toBe(balances[0]!.usdValue);
    },
  );
});

describe("50x", () => {
  test("does not cache a fault that has passed", async () => {
    const { address } = await newWallet();
    await stageFault("getMultipleAccounts", "error");
    expect((await get(`/api/portfolio/${address}`)).status).toBe(503);
    await healSandbox();
    expect((await get(`/api/portfolio/${address}`)).status).toBe(200);
  });
});

/** Creates a mint with two decimals, and an account of the wallet that holds `amount` of it. @returns the mint */
async function issue(wallet: Wallet, tokenProgram: string, amount: bigint): Promise<string> {
  const programId = new PublicKey(tokenProgram);
  const owner = new PublicKey(wallet.address);
  const [mint, account] = [Keypair.generate(), Keypair.generate()];
  const create = async ({ publicKey }: Keypair, space: number) =>
    SystemProgram.createAccount({
      fromPubkey: owner,
      newAccountPubkey: publicKey,
      lamports: await rentMinimum(space),
      space,
      programId,
    });
  const writable = ({ publicKey }: Keypair) => ({ pubkey: publicKey, isSigner: false, isWritable: true });
  const units = Buffer.alloc(8);
  units.writeBigUInt64LE(amount);
  // InitializeMint2 (20), InitializeAccount3 (18) and MintTo (7) of the Token programs.
  const initializeMint = Buffer.from([20, 2, ...owner.toBytes(), 0]);
  const mintTo = [writable(mint), writable(account), { pubkey: owner, isSigner: true, isWritable: false }];
  const instructions = [
    await create(mint, 82),
    new TransactionInstruction({ programId, keys: [writable(mint)], data: initializeMint }),
    await create(account, 165),
    new TransactionInstruction({
      programId,
      keys: [writable(account), { ...writable(mint), isWritable: false }],
      data: Buffer.from([18, ...owner.toBytes()]),
    }),
    ...(amount > 0n ? [new TransactionInstruction({ programId, keys: mintTo, data: Buffer.from([7, ...units]) })] : []),
  ];
  const keysOf = ({ publicKey, secretKey }: Keypair) => ({ keys: { publicKey: publicKey.toBytes(), secretKey } });
  await sendDirectly(await compose({ signers: [wallet, keysOf(mint), keysOf(account)], instructions }));
  return mint.publicKey.toBase58();
}
