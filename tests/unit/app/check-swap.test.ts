import { type Connection, PublicKey, SystemProgram } from "@solana/web3.js";
import { expect, test } from "vitest";
import { buildSwapContract } from "@/lib/contracts/build-swap";
import { importFence } from "../../support/fences";
import { toTestWallet } from "../../support/fixtures/test-wallets";

const { checkSwap } = await importFence<{
  checkSwap(connection: Connection, swap: object, costs: object, serviceWallet: string): Promise<void>;
}>("docs/guides/verifying.md", "js check-swap.mjs");

const OWNER = toTestWallet("service").address;
const STRANGER = toTestWallet("stranger").address;
const { transactions, costs } = buildSwapContract.exampleAnswer;
const [swap] = transactions as [(typeof transactions)[number]];
const DEPOSIT_LAMPORTS = 2_039_280;
const MAX_SPENT_LAMPORTS = swap.inputLamports + DEPOSIT_LAMPORTS + costs.networkFeeLamports;
/** The sample must not believe the service's deposit. */
const STATED_COSTS = { ...costs, tokenAccountDepositLamports: 5_000_000_000 };
const MINIMUM_OUTPUT = BigInt(swap.quote.minimumOutputAmount);

/** The owner is at byte 32, the amount at 64, and the flag of a delegate at 72. */
function encodeTokenAccount(amount: bigint, owner: string, hasDelegate: boolean): Buffer {
  const data = Buffer.alloc(165);
  new PublicKey(owner).toBuffer().copy(data, 32);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt32LE(hasDelegate ? 1 : 0, 72);
  return data;
}

interface Effect {
  spentLamports?: number;
  received?: bigint;
  walletProgram?: string;
  tokenOwner?: string;
  hasDelegate?: boolean;
  err?: string | null;
}

/** The node simulates this effect on an owner without the bought token. */
function runCheck(effect: Effect): Promise<void> {
  const { spentLamports = MAX_SPENT_LAMPORTS, received = MINIMUM_OUTPUT, err = null } = effect;
  const { walletProgram = SystemProgram.programId.toBase58(), tokenOwner = OWNER, hasDelegate = false } = effect;
  const balanceLamports = 10_000_000_000;
  const tokenData = encodeTokenAccount(received, tokenOwner, hasDelegate).toString("base64");
  const connection = {
    getMultipleAccountsInfo: async () => [{ lamports: balanceLamports, data: Buffer.alloc(0) }, null],
    simulateTransaction: async () => ({
      value: {
        err,
        accounts: [
          { lamports: balanceLamports - spentLamports, owner: walletProgram, data: ["", "base64"] },
          { lamports: DEPOSIT_LAMPORTS, owner: "token program", data: [tokenData, "base64"] },
        ],
      },
    }),
  } as unknown as Connection;
  return checkSwap(connection, swap, STATED_COSTS, OWNER);
}

test("the swap sample accepts a swap that costs and brings what the answer shows", async () => {
  await expect(runCheck({})).resolves.toBeUndefined();
});

test.each<[string, Effect, string]>([
  ["brings less than the minimum", { received: MINIMUM_OUTPUT - 1n }, "too little"],
  ["costs more than it shows", { spentLamports: MAX_SPENT_LAMPORTS + 1 }, "cost more"],
  ["fails in the simulation", { err: "InstructionError" }, "refuse"],
  ["gives the wallet to a different program", { walletProgram: STRANGER }, "a stranger"],
  ["gives the token account to a different owner", { tokenOwner: STRANGER }, "a stranger"],
  ["lets a delegate spend from the token account", { hasDelegate: true }, "a stranger"],
])("the swap sample refuses a swap that %s", async (_caseName, effect, expectedWords) => {
  await expect(runCheck(effect)).rejects.toThrow(expectedWords);
});
