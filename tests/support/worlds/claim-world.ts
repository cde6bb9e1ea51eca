import { createBackground } from "../../../lib/clients/process/background";
import { createSignatureWatch } from "../../../lib/clients/solana/signature-watch";
import { buildTopupContract } from "../../../lib/contracts/build-topup";
import { buildWrapBatchContract } from "../../../lib/contracts/build-wrap-batch";
import { executeSwapContract } from "../../../lib/contracts/execute-swap";
import { getSpendingContract } from "../../../lib/contracts/get-spending";
import { AppError } from "../../../lib/errors";
import type { Deps } from "../../../lib/ports/deps";
import { buildTopup } from "../../../lib/services/build-topup";
import { buildWrapBatch } from "../../../lib/services/build-wrap-batch";
import { executeSwap } from "../../../lib/services/execute-swap";
import { getSpending } from "../../../lib/services/get-spending";
import { toBase64 } from "../../../lib/solana/bytes";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { memo } from "../../../lib/solana/memo";
import { systemTransfer } from "../../../lib/solana/system-instructions";
import { inputOf } from "../client/contract-input";
import { FEE_COLLECTORS, pricesAt, solAccount } from "../fakes/fake-deps";
import { type MoodyNode, moodyNode } from "../fakes/moody-node";
import { signTransaction } from "../fixtures/test-wallets";
import { type Steps, storeSteps } from "../store/store-steps";
import { ownTransaction, signatureOf, stranger, user } from "./relay-rig";
import { spendingWorld } from "./spending-world";

/** One wallet with two devices, two server instances on one store, and a stranger. Every operation is the production code. */
export interface ClaimWorld {
  node: MoodyNode;
  payments: Payment[];
  /** Newest first. */
  messages: Message[];
  devices: Device[];
  operations: Operation[];
  /** Failures that are no planned answer. */
  bugs: unknown[];
  now(): number;
  /** Time passes, and whatever waits for it goes on. */
  advance(ms: number): Promise<void>;
  pay(): Payment;
  read(device: Device, at: number): Operation;
  build(device: Device, at: number, how: BuildOptions): Operation;
  topup(period: string, at: number): Operation;
  post(message: Message, at: number): Operation;
  /** A stranger's call for the victim: it needs credentials, but anybody's. */
  hostileBuild(batch: HostileBatch, at: number): Operation;
  hostileTopup(period: string, at: number): Operation;
  /** A stranger's transaction that names the wallet, with this memo; with `saves` it pays into the victim's service wallet. */
  hostileMemo(text: string, saves: boolean): void;
  skewClock(at: number, ms: number): void;
  /** The process dies: nothing that it began goes on. A new one takes its place. */
  crash(at: number): void;
  /** From here on the nodes, the store and the clocks are as they should be. */
  becomeFair(): void;
}

interface Payment {
  signature: string;
  usd: number;
}

/** What the wallet signed: it saves these payments, or makes the top-up of this period. */
export interface Message {
  bytes: Uint8Array;
  signature: string;
  txValuesUsd: number[];
  through: string | null;
  period: string | null;
  /** What execute answered, in order. */
  answers: string[];
}

interface Device {
  /** What it read last. */
  unsaved: Payment[];
  savedThrough: string | null;
}

export interface BuildOptions {
  /** So many of the oldest payments; fewer than were read say what they follow on, as `watch` does. */
  most: number;
  /** The device puts the instructions into a transaction of its own. */
  ownTransaction: boolean;
}

type HostileBatch = {
  txValuesUsd: number[];
  through: string;
  after: string | undefined;
  roundToUsd?: number;
  multiplier?: number;
};

export interface Operation {
  text: string;
  done: boolean;
  /** Lets its next store calls happen; then it pauses. */
  allow(calls: number): void;
}

interface Instance {
  deps: Deps;
  skewMs: number;
  isDead: boolean;
}

const OWNER = { caller: { kind: "wallet", wallet: user.address } } as const;
const STRANGER = { caller: { kind: "wallet", wallet: stranger.address } } as const;
const TERMS = { plan: "forest" } as const;
/** Each payment is of another value, and has change. */
const FIRST_USD = 1.37;

export async function claimWorld(): Promise<ClaimWorld> {
  const chain = await spendingWorld();
  const { deps, service } = chain;
  // A node that is behind has a past to show.
  await deps.clock.advance(60_000);
  const node = moodyNode(chain);
  const wallets = { userPubkey: user.address, serviceWalletPubkey: service };
  const instances = [0, 1].map(() => openInstance());
  let count = 0;

  function openInstance(): Instance {
    const instance = { skewMs: 0, isDead: false } as Instance;
    const sleep = async (ms: number) => {
      await deps.clock.sleep(ms);
      if (instance.isDead) await new Promise(() => {});
    };
    const clock = { ...deps.clock, now: () => deps.clock.now() + instance.skewMs, sleep };
    const rpc = node.rpcOf(() => instance.isDead);
    const prices = { current: async () => pricesAt(clock.now()), ofMints: async () => ({}) };
    const watch = createSignatureWatch({ rpc, clock });
    const background = createBackground((error) => world.bugs.push(error));
    instance.deps = { ...deps, clock, rpc, prices, watch, background };
    return instance;
  }

  /** Begins an operation on a server instance; its store calls wait until they are allowed. */
  function begin(text: string, at: number, run: (deps: Deps) => Promise<void>): Operation {
    const instance = instances[at]!;
    const steps: Steps = storeSteps(instance.deps.kv);
    const allow = (calls: number) => {
      if (!instance.isDead) steps.allow(calls);
    };
    const operation: Operation = { text, done: false, allow };
    world.operations.push(operation);
    run({ ...instance.deps, kv: steps.kv })
      .catch((error) => {
        if (!(error instanceof AppError)) world.bugs.push(error);
      })
      .finally(() => {
        operation.done = true;
      });
    return operation;
  }

  function sign(built: string | InstructionLike[], about: Partial<Message>): void {
    const bytes =
      typeof built === "string"
        ? signTransaction(Buffer.from(built, "base64"), user)
        : ownTransaction(built, [user], deps.chain.latest().blockhash);
    const signature = signatureOf(bytes);
    if (world.messages.some((one) => one.signature === signature)) return;
    world.messages.unshift({ txValuesUsd: [], through: null, period: null, ...about, bytes, signature, answers: [] });
  }

  const world: ClaimWorld = {
    ...{ node, payments: [], messages: [], operations: [], bugs: [] },
    devices: [0, 1].map(() => ({ unsaved: [], savedThrough: null })),
    now: deps.clock.now,
    advance: (ms) => deps.clock.advance(ms),
    pay() {
      const usd = FIRST_USD + world.payments.length;
      world.payments.push({ signature: chain.pay(usd), usd });
      return world.payments.at(-1)!;
    },
    read: (device, at) =>
      begin("read", at, async (own) => {
        const input = inputOf(getSpendingContract, { address: user.address, serviceWallet: service });
        const { batches, savedThrough } = await getSpending(own, input, OWNER);
        const values = batches.flatMap(({ txValuesUsd }) => txValuesUsd);
        device.unsaved = values.map((usd) => world.payments[Math.round(usd - FIRST_USD)]!);
        device.savedThrough = savedThrough;
      }),
    build: (device, at, { most, ownTransaction: attaches }) =>
      begin("build", at, async (own) => {
        const part = device.unsaved.slice(0, most);
        if (part.length === 0) return;
        const txValuesUsd = part.map(({ usd }) => usd);
        const through = part.at(-1)!.signature;
        const after = part.length === device.unsaved.length ? undefined : (device.savedThrough ?? "none");
        const input = inputOf(buildWrapBatchContract, { ...TERMS, ...wallets, txValuesUsd, through, after });
        const { transaction, instructions } = await buildWrapBatch(own, input, OWNER);
        if (transaction) sign(attaches ? instructions : transaction.base64, { txValuesUsd, through });
      }),
    topup: (period, at) =>
      begin("top-up", at, async (own) => {
        // Each is of another amount, so that two of one period are two messages.
        const amountUsd = 1 + ++count / 100;
        const { transaction } = await buildTopup(own, inputOf(buildTopupContract, { amountUsd, period, ...wallets }));
        sign(transaction!.base64, { period });
      }),
    post: (message, at) =>
      begin("post", at, async (own) => {
        const input = inputOf(executeSwapContract, { signedTransaction: toBase64(message.bytes) });
        const word = await executeSwap(own, input).then(
          ({ status }) => status,
          (error) => {
            if (error instanceof AppError) return error.code;
            throw error;
          },
        );
        message.answers.push(word);
      }),
    hostileBuild: (batch, at) =>
      begin("a stranger's build", at, async (own) => {
        const terms = batch.roundToUsd === undefined ? TERMS : {};
        await buildWrapBatch(own, inputOf(buildWrapBatchContract, { ...terms, ...batch, ...wallets }), STRANGER);
      }),
    hostileTopup: (period, at) =>
      begin("a stranger's top-up", at, async (own) => {
        await buildTopup(own, inputOf(buildTopupContract, { period, amountUsd: 0.5, ...wallets }));
      }),
    hostileMemo(text, saves) {
      if (!deps.chain.accounts.has(stranger.address)) deps.chain.accounts.set(stranger.address, solAccount(10n ** 15n));
      const dust = systemTransfer(stranger.address, user.address, BigInt(++count));
      const saving = [
        systemTransfer(stranger.address, service, 1_000_000n),
        systemTransfer(stranger.address, FEE_COLLECTORS[0]!, 2_500n),
      ];
      const instructions = [...(saves ? saving : []), dust, memo(text, stranger.address)];
      chain.take(ownTransaction(instructions, [stranger], deps.chain.latest().blockhash));
    },
    skewClock(at, ms) {
      instances[at]!.skewMs = ms;
    },
    crash(at) {
      instances[at]!.isDead = true;
      instances[at] = openInstance();
    },
    becomeFair() {
      Object.assign(node, { fate: "land", mood: "good", isEmpty: false });
      for (const instance of instances) instance.skewMs = 0;
      node.release();
      for (const operation of world.operations) operation.allow(Number.MAX_SAFE_INTEGER);
    },
  };
  return world;
}
