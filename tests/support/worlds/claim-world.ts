import { createBackground } from "../../../lib/clients/process/background";
import { createSignatureWatch } from "../../../lib/clients/solana/signature-watch";
import { buildTopupContract } from "../../../lib/contracts/build-topup";
import { buildWrapBatchContract } from "../../../lib/contracts/build-wrap-batch";
import { executeTransactionContract } from "../../../lib/contracts/execute-transaction";
import { getSpendingContract } from "../../../lib/contracts/get-spending";
import { createReferenceMark } from "../../../lib/domain/reference";
import { AppError } from "../../../lib/errors";
import type { Deps } from "../../../lib/ports/deps";
import { buildTopup } from "../../../lib/services/build-topup";
import { buildWrapBatch } from "../../../lib/services/build-wrap-batch";
import { executeTransaction } from "../../../lib/services/execute-transaction";
import { getSpending } from "../../../lib/services/get-spending";
import { toBase64 } from "../../../lib/solana/bytes";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { buildMemo } from "../../../lib/solana/memo";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { parseInput } from "../client/contract-input";
import { createFreshPriceFeed, createSolAccount, FEE_COLLECTORS } from "../fakes/fake-deps";
import { createFaultyNode } from "../fakes/faulty-node";
import { signTransaction } from "../fixtures/test-wallets";
import { pauseStoreCalls } from "../store/pause-store-calls";
import { rollBack, takeSnapshot } from "../store/store-snapshot";
import { toWalletContext } from "./keys-rig";
import { buildTransaction, ownServiceWallet, readErrorCode, readSignature, stranger, user } from "./relay-rig";
import { stageAllowance, stageSpending } from "./spending-world";
import { toPayTerms, type Way } from "./usdc-world";

export type ClaimWorld = Awaited<ReturnType<typeof createClaimWorld>>;

export type KeyFate = "kept" | "lost" | "rolled back";

interface Payment {
  signature: string;
  usd: number;
}

/** A message that the wallet signed. It saves these payments, or makes the top-up of this period. */
export interface Message {
  bytes: Uint8Array;
  signature: string;
  txValuesUsd: number[];
  through: string | null;
  period: string | null;
  /** The answers of execute, in order. */
  answers: string[];
}

interface Device {
  /** The unsaved payments that the device read last. */
  unsavedPayments: Payment[];
  savedThrough: string | null;
}

export interface BuildOptions {
  /** Number of the oldest payments to save. */
  maxPayments: number;
  /** True if the device puts the instructions into its own transaction. */
  usesOwnTransaction: boolean;
  payBy: PayBy;
}

/** What the change is taken from, and who signs. */
export type PayBy = "SOL" | Way;
const toTerms = (payBy: PayBy) => (payBy === "SOL" ? {} : toPayTerms(payBy));

type StrangerBatch = {
  txValuesUsd: number[];
  through: string;
  after: string;
  roundToUsd?: number;
  multiplier?: number;
};

export interface Operation {
  isDone: boolean;
  /** Permits this many more store calls. The operation then pauses. */
  allow(calls: number): void;
}

interface Instance {
  deps: Deps;
  skewMs: number;
  isDead: boolean;
}

const [OWNER, STRANGER] = [toWalletContext(user), toWalletContext(stranger)];
const TERMS = { plan: "forest" } as const;
/** The value of the first payment in dollars. Each later payment is one dollar higher, so every value leaves change. */
const FIRST_USD = 1.37;

/** A top-up whose period has this name carries the name as its reference instead. */
export const ORDER_REFERENCE = "order-1";
const toMarkFields = (name: string) => (name === ORDER_REFERENCE ? { reference: name } : { period: name });

/**
 * Creates a world with one wallet on two devices, two server instances on one store, and a stranger. It has no payments
 * yet, and its chain began a minute ago. Every operation runs production code.
 */
export async function createClaimWorld() {
  const chain = await stageSpending();
  const { deps, serviceWallet } = chain;
  stageAllowance(chain);
  deps.chain.history.set(createReferenceMark(user.address, ORDER_REFERENCE).key, []);
  // Time passes first, so that a lagging node has an older state to show.
  await deps.clock.advance(60_000);
  const node = createFaultyNode(chain);
  const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet };
  const instances = [0, 1].map(() => openInstance());
  let operationCount = 0;
  const backups: Awaited<ReturnType<typeof takeSnapshot>>[] = [new Map()];

  function openInstance(): Instance {
    const instance = { skewMs: 0, isDead: false } as Instance;
    const sleep = async (ms: number) => {
      await deps.clock.sleep(ms);
      if (instance.isDead) await new Promise(() => {});
    };
    const clock = { ...deps.clock, now: () => deps.clock.now() + instance.skewMs, sleep };
    const rpc = node.openRpc(() => instance.isDead);
    const prices = createFreshPriceFeed(clock);
    const signatureWatch = createSignatureWatch({ rpc, clock });
    const background = createBackground((error) => world.bugs.push(error));
    instance.deps = { ...deps, clock, rpc, prices, signatureWatch, background };
    return instance;
  }

  /** Starts an operation on a server instance. Its store calls wait until they are permitted. */
  function startOperation(server: number, run: (deps: Deps) => Promise<void>): Operation {
    const instance = instances[server]!;
    const steps = pauseStoreCalls(instance.deps.kv);
    const allow = (calls: number) => {
      if (!instance.isDead) steps.allow(calls);
    };
    const operation: Operation = { isDone: false, allow };
    world.operations.push(operation);
    run({ ...instance.deps, kv: steps.kv })
      .catch((error) => {
        if (error instanceof AppError) world.refusals.push(error.code);
        else world.bugs.push(error);
      })
      .finally(() => {
        operation.isDone = true;
      });
    return operation;
  }

  function addMessage(build: string | InstructionLike[], payBy: PayBy, fields: Partial<Message>): void {
    const signer = payBy === "allowance" ? ownServiceWallet : user;
    const bytes =
      typeof build === "string"
        ? signTransaction(Buffer.from(build, "base64"), signer)
        : buildTransaction(build, [signer], deps.chain.getLatestBlockhash().blockhash);
    const signature = readSignature(bytes);
    if (world.messages.some((message) => message.signature === signature)) return;
    world.messages.unshift({ txValuesUsd: [], through: null, period: null, ...fields, bytes, signature, answers: [] });
  }

  const world = {
    node,
    payments: [] as Payment[],
    /** The signed messages, newest first. */
    messages: [] as Message[],
    operations: [] as Operation[],
    /** The errors that are not planned answers. */
    bugs: [] as unknown[],
    /** The codes of all planned refusals, in order. */
    refusals: [] as string[],
    devices: [0, 1].map((): Device => ({ unsavedPayments: [], savedThrough: null })),
    now: deps.clock.now,
    advance: (ms: number) => deps.clock.advance(ms),
    /** Makes a payment on the chain, one dollar higher than the previous payment. */
    pay(): Payment {
      const usd = FIRST_USD + world.payments.length;
      world.payments.push({ signature: chain.pay(usd), usd });
      return world.payments.at(-1)!;
    },
    /** Reads the unsaved payments into the device. */
    readPayments: (device: Device, server: number) =>
      startOperation(server, async (serverDeps) => {
        const input = parseInput(getSpendingContract, { address: user.address, serviceWallet });
        const { batches, savedThrough } = await getSpending(serverDeps, input);
        const values = batches.flatMap(({ txValuesUsd }) => txValuesUsd);
        device.unsavedPayments = values.map((usd) => world.payments[Math.round(usd - FIRST_USD)]!);
        device.savedThrough = savedThrough;
      }),
    /** Builds a saving of the payments that the device read, and signs it. */
    buildSaving: (device: Device, server: number, { maxPayments, usesOwnTransaction, payBy }: BuildOptions) =>
      startOperation(server, async (serverDeps) => {
        const batch = device.unsavedPayments.slice(0, maxPayments);
        if (batch.length === 0) return;
        const txValuesUsd = batch.map(({ usd }) => usd);
        const through = batch.at(-1)!.signature;
        const after = device.savedThrough ?? "none";
        const request = { ...TERMS, ...wallets, ...toTerms(payBy), txValuesUsd, through, after };
        const input = parseInput(buildWrapBatchContract, request);
        const { transaction, instructions } = await buildWrapBatch(serverDeps, input, OWNER);
        if (transaction)
          addMessage(usesOwnTransaction ? instructions : transaction.base64, payBy, { txValuesUsd, through });
      }),
    buildTopup: (period: string, server: number, payBy: PayBy) =>
      startOperation(server, async (serverDeps) => {
        // Uses a different amount each time, so that two top-ups of one period are two messages.
        const amountUsd = 1 + ++operationCount / 100;
        const request = { amountUsd, ...toMarkFields(period), ...toTerms(payBy), ...wallets };
        const { transaction } = await buildTopup(serverDeps, parseInput(buildTopupContract, request));
        addMessage(transaction!.base64, payBy, { period });
      }),
    postMessage: (message: Message, server: number) =>
      startOperation(server, async (serverDeps) => {
        const input = parseInput(executeTransactionContract, { signedTransaction: toBase64(message.bytes) });
        const answer = await executeTransaction(serverDeps, input, OWNER).then(({ status }) => status, readErrorCode);
        message.answers.push(answer);
        if (answer === "already_saved") world.refusals.push(answer);
      }),
    /** Builds a saving for the victim's wallets. The service accepts any wallet's credentials for a build. */
    buildSavingAsStranger: (batch: StrangerBatch, server: number) =>
      startOperation(server, async (serverDeps) => {
        const terms = batch.roundToUsd === undefined ? TERMS : {};
        const input = parseInput(buildWrapBatchContract, { ...terms, ...batch, ...wallets });
        await buildWrapBatch(serverDeps, input, STRANGER);
      }),
    buildTopupAsStranger: (period: string, server: number) =>
      startOperation(server, async (serverDeps) => {
        const input = parseInput(buildTopupContract, { ...toMarkFields(period), amountUsd: 0.5, ...wallets });
        await buildTopup(serverDeps, input);
      }),
    /** Sends a transaction that names the wallet, with this memo. With `isSaving` it pays the victim's service wallet. */
    sendMemoAsStranger(text: string, isSaving: boolean) {
      if (!deps.chain.accounts.has(stranger.address))
        deps.chain.accounts.set(stranger.address, createSolAccount(10n ** 15n));
      const dust = buildSystemTransfer(stranger.address, user.address, BigInt(++operationCount));
      const savingTransfers = [
        buildSystemTransfer(stranger.address, serviceWallet, 1_000_000n),
        buildSystemTransfer(stranger.address, FEE_COLLECTORS[0]!, 2_500n),
      ];
      const instructions = [...(isSaving ? savingTransfers : []), dust, buildMemo(text, stranger.address)];
      chain.putOnChain(buildTransaction(instructions, [stranger], deps.chain.getLatestBlockhash().blockhash));
    },
    /** Sets how far a server's clock is ahead, ms. */
    skewClock(server: number, ms: number) {
      instances[server]!.skewMs = ms;
    },
    /** Ends a server process, so that none of its operations continues. A new process replaces it. */
    crash(server: number) {
      instances[server]!.isDead = true;
      instances[server] = openInstance();
    },
    /** Makes the nodes, the store and the clocks correct from now on. */
    removeFaults() {
      Object.assign(node, { sendOutcome: "land", state: "good", isWalletEmpty: false });
      for (const instance of instances) instance.skewMs = 0;
      node.release();
      for (const operation of world.operations) operation.allow(Number.MAX_SAFE_INTEGER);
    },
    async backUpStore() {
      backups.push(await takeSnapshot(deps));
    },
    /**
     * Loses keys of the store, or rolls them back to an older copy. No transaction may be in flight.
     * @param fates what happens to each key, in order and repeated
     */
    async loseKeys(fates: KeyFate[], backupIndex: number) {
      const hasFate = (fate: KeyFate) => (_key: string, i: number) => fates[i % fates.length] === fate;
      await rollBack(deps, backups[backupIndex % backups.length]!, hasFate("rolled back"));
      await rollBack(deps, new Map(), hasFate("lost"));
    },
  };
  return world;
}
