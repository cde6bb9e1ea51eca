import bs58 from "bs58";
import { buildWrapBatchContract } from "../../../lib/contracts/build-wrap-batch";
import type { DataOf } from "../../../lib/contracts/define";
import { getSpendingContract } from "../../../lib/contracts/get-spending";
import type { TransactionFigures } from "../../../lib/domain/activity";
import { ASSETS } from "../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
import { formatMark } from "../../../lib/domain/marks";
import { type Movement, toTokenMovements } from "../../../lib/domain/movements";
import { findWraps } from "../../../lib/domain/wraps";
import type { SignatureState } from "../../../lib/ports/solana-rpc";
import { buildWrapBatch } from "../../../lib/services/build-wrap-batch";
import { getSpending } from "../../../lib/services/get-spending";
import { readMarks } from "../../../lib/services/steps/relay/posting";
import { readInstructions } from "../../../lib/solana/read-transaction";
import { readSystemMovements, type SystemMovement } from "../../../lib/solana/system-instructions";
import { findDerivation, readTokenMovements } from "../../../lib/solana/token-instructions";
import { decodeTransaction } from "../../../lib/solana/transactions";
import { parseInput } from "../client/contract-input";
import { createFakeDeps, createSolAccount, createUsdcAccount, FEE_COLLECTORS, setPrices } from "../fakes/fake-deps";
import { NO_TOKENS } from "../fixtures/no-instructions";
import { addDelegate, encodeTokenAccount } from "../fixtures/token-account";
import { deriveServiceWallet, postSigned, readErrorCode, readSignature, signBuild, stranger, user } from "./relay-rig";

export type Batch = DataOf<typeof getSpendingContract>["batches"][number];

const SLOT_MS = 400;
const BLOCKHASH_SLOTS = 150;

export type SpendingWorld = Awaited<ReturnType<typeof stageSpending>>;

/**
 * Creates a staged chain with a funded user and a derived, funded service wallet. A sent transaction lands unless its
 * blockhash has expired, or `isDelivered` returns false.
 * @param deps ports to replace the default ones
 */
export async function stageSpending(deps = createFakeDeps()) {
  const serviceWallet = await deriveServiceWallet(deps);
  for (const address of [user.address, serviceWallet]) deps.chain.accounts.set(address, createSolAccount(10n ** 12n));
  const startedAt = deps.clock.now();
  const readSlot = () => Math.floor((deps.clock.now() - startedAt) / SLOT_MS) + paymentSlots;
  /** The newest slot that the node has seen. */
  const readNodeSlot = () => Math.max(0, readSlot() - world.lagSlots);
  const states = new Map<string, SignatureState>();
  const slotByBlockhash = new Map<string, number>();
  let addedCount = 0;
  let paymentSlots = 0;
  for (const address of [user.address, serviceWallet]) deps.chain.history.set(address, []);
  deps.chain.getBlockHeight = () => 1_000 + readNodeSlot();
  deps.chain.getStatus = (signature) => {
    const state = states.get(signature);
    return state && state.slot <= deps.chain.slot() ? state : null;
  };
  deps.chain.getLatestBlockhash = () => {
    const bytes = Buffer.alloc(32, 1);
    bytes.writeUInt32LE(readNodeSlot());
    const blockhash = bs58.encode(bytes);
    slotByBlockhash.set(blockhash, readNodeSlot());
    return { blockhash, lastValidBlockHeight: deps.chain.getBlockHeight() + BLOCKHASH_SLOTS };
  };

  const addToHistory = (
    signature: string,
    figures: TransactionFigures,
    memo: string | null,
    error: string | null,
    timeMs: number,
  ) => {
    // The chain's slot is the node's slot plus the slots by which the node lags.
    const landedSlot =
      deps.chain.slot() + readSlot() - readNodeSlot() - Math.floor((deps.clock.now() - timeMs) / SLOT_MS);
    states.set(signature, { slot: landedSlot, error, confirmation: "confirmed" });
    deps.chain.transactions.set(signature, { slot: landedSlot, ...figures });
    for (const [address, entries] of deps.chain.history)
      if (figures.accountKeys.includes(address))
        entries.unshift({ signature, slot: landedSlot, blockTime: Math.floor(timeMs / 1000), error, memo });
  };
  /** Moves the SOL and charges the fee. Returns the account keys, the balances before and after, and the signer. */
  const applyMovements = (accountKeys: string[], movements: SystemMovement[]) => {
    const getLamports = (address: string) => deps.chain.accounts.get(address)?.lamports ?? 0n;
    const addLamports = (address: string, lamports: bigint) => {
      deps.chain.accounts.set(address, createSolAccount(getLamports(address) + lamports));
    };
    const preBalances = accountKeys.map(getLamports);
    addLamports(accountKeys[0]!, -BLANK_FIGURES.feeLamports);
    for (const { from, to, lamports } of movements) {
      addLamports(from, -lamports);
      addLamports(to, lamports);
    }
    return { accountKeys, preBalances, postBalances: accountKeys.map(getLamports), signers: [accountKeys[0]!] };
  };
  const isBlockhashValidAt = (blockhash: string, slot: number) => {
    const ageSlots = slot - (slotByBlockhash.get(blockhash) ?? Number.NEGATIVE_INFINITY);
    return ageSlots >= 0 && ageSlots <= BLOCKHASH_SLOTS;
  };
  const hasValidBlockhash = (bytes: Uint8Array, slot: number) =>
    isBlockhashValidAt(decodeTransaction(bytes).decoded.message.recentBlockhash, slot);
  deps.chain.isBlockhashValid = (blockhash) => isBlockhashValidAt(blockhash, readNodeSlot());

  const world = {
    deps,
    serviceWallet,
    landedSignatures: [] as string[],
    /** The number of slots by which every answer of the node lags behind the chain. */
    lagSlots: 0,
    /** Returns whether the next sent transaction reaches the chain. */
    isDelivered: () => true,
    /**
     * Puts signed bytes on the chain, unless the chain has them or their blockhash has expired. With an error, the
     * transaction fails on the chain.
     */
    putOnChain(bytes: Uint8Array, error?: string): void {
      if (states.has(readSignature(bytes)) || !hasValidBlockhash(bytes, readSlot())) return;
      const transaction = decodeTransaction(bytes);
      const keys = transaction.decoded.message.staticAccountKeys.map((key) => key.toBase58());
      const marks = readMarks(transaction);
      const solMovements = readSystemMovements(transaction.decoded, keys);
      // The balances of tokens stay the same: the readers of these savings read the transfers.
      const tokenMovements = readInstructions(transaction.decoded.message, keys).flatMap(readTokenMovements);
      const movements: Movement[] = [...solMovements, ...toTokenMovements(tokenMovements, findDerivation)];
      const effects = applyMovements(keys, error === undefined ? solMovements : []);
      const figures = { ...BLANK_FIGURES, ...effects, movements, marks };
      if (error === undefined && findWraps(movements, FEE_COLLECTORS).length > 0)
        world.landedSignatures.push(readSignature(bytes));
      const memo = marks[0] ? `[1] ${formatMark(marks[0].mark)}` : null;
      addToHistory(readSignature(bytes), figures, memo, error ?? null, deps.clock.now());
    },
    /** Adds a transaction with these figures to the wallet's history, `ageMs` ago. Returns its signature. */
    addTransaction(
      figures: Partial<TransactionFigures>,
      { error = null, memo = null, ageMs = 0 }: { error?: string | null; memo?: string | null; ageMs?: number } = {},
    ): string {
      const bytes = Buffer.alloc(64, 1);
      bytes.writeUInt32LE(addedCount++, 60);
      const signature = bs58.encode(bytes);
      addToHistory(signature, { ...BLANK_FIGURES, ...figures }, memo, error, deps.clock.now() - ageMs);
      return signature;
    },
    /** Pays a stranger this many dollars of USDC, in a new slot. Returns the signature. */
    pay(usd: number): string {
      paymentSlots++;
      return world.addTransaction(createTokenPayment(BigInt(Math.round(usd * 1e6))));
    },
    async readSpending(query: Record<string, unknown> = {}) {
      setPrices(deps);
      const input = parseInput(getSpendingContract, { address: user.address, ...query });
      return getSpendingContract.data.parse(await getSpending(deps, input));
    },
    /** Builds a saving of the batch. Returns its signed bytes, or null if there is nothing to save. */
    async buildSaving(batch: Batch): Promise<Uint8Array | null> {
      setPrices(deps);
      const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet };
      const input = { ...batch, plan: "forest", ...wallets } as const;
      const { transaction } = await buildWrapBatch(deps, parseInput(buildWrapBatchContract, input));
      return transaction && signBuild({ transaction });
    },
    /** Posts signed bytes. Returns the error code if the service refuses them, otherwise null. */
    postAndFindError: (bytes: Uint8Array): Promise<string | null> =>
      postSigned(deps, bytes).then(() => null, readErrorCode),
  };

  deps.chain.simulate = (bytes) => {
    return { error: hasValidBlockhash(bytes, readNodeSlot()) ? null : "BlockhashNotFound", unitsConsumed: 1 };
  };
  deps.beforeCall = ({ method, args }) => {
    if (method === "send" && world.isDelivered()) world.putOnChain(args[0] as Uint8Array);
  };
  return world;
}

const AMPLE_UNITS = 2n ** 60n;

/** Lets the user's service wallet take any USDC of the user. Both have an account of it. */
export function stageAllowance({ deps, serviceWallet }: SpendingWorld): void {
  const { accounts } = deps.chain;
  const data = encodeTokenAccount(ASSETS.USDC.mint, user.address, AMPLE_UNITS);
  const account = { ...createUsdcAccount(user.address), data };
  addDelegate(account.data, serviceWallet, AMPLE_UNITS);
  accounts.set(deriveUsdcAccount(user.address), account);
  accounts.set(deriveUsdcAccount(serviceWallet), createUsdcAccount(serviceWallet));
}

/** The figures of a transaction that only costs the user its fee. */
export const BLANK_FIGURES: TransactionFigures = {
  ...NO_TOKENS,
  accountKeys: [user.address],
  preBalances: [10_000n],
  postBalances: [5_000n],
  signers: [user.address],
};

/** Returns the figures of a payment of `amount` base units to a recipient whose token account exists. */
export function createTokenPayment(amount: bigint, mint = ASSETS.USDC.mint): Partial<TransactionFigures> {
  const row = { mint, decimals: 6 };
  return {
    accountKeys: [user.address, "own account", "other account"],
    preBalances: [10_000n, 1n, 1n],
    postBalances: [5_000n, 1n, 1n],
    preTokenBalances: [{ ...row, accountIndex: 1, owner: user.address, amount: 10n ** 12n }],
    postTokenBalances: [
      { ...row, accountIndex: 1, owner: user.address, amount: 10n ** 12n - amount },
      { ...row, accountIndex: 2, owner: stranger.address, amount },
    ],
  };
}
