import { toNetwork } from "../domain/texts";
import { type Abortable, type Calls, DEFAULT_MAX_WAIT_MS } from "./calls/calls";
import { type Result, runFlow } from "./flow/drive";
import { createRecordStore } from "./flow/record";
import { createSaveSpec, type SaveBuild, type SavingRecord } from "./flow/save";
import { createPriceGuard, type PriceSource } from "./prices/guard";
import { readSaveRequest, type SaveRequest, toFlowRequest, toPublicResult } from "./requests";
import { toDeployment } from "./sign/texts";
import { readFirstSignature } from "./sign/transactions";
import { type Clock, type Lock, memoryStorage, processLock, type Storage, systemClock } from "./world";

/** A saving for a wallet elsewhere, such as a customer's wallet in a page. */
export interface PrepareRequest extends SaveRequest {
  /** The wallet that pays and signs. */
  wallet: string;
  /** Its service wallet, from your own records. */
  serviceWallet: string;
}

/** A saving that waits for its signature. It holds no secrets and survives JSON. Keep it where the page cannot change it. */
export interface PreparedSave {
  request: PrepareRequest;
  /** Unsigned, base64. */
  transaction: string;
  /** The figures that the transaction's bytes contain. */
  breakdown: SaveBuild["breakdown"];
  build: SaveBuild;
  /** The wallet's counter of sent transactions, before this one was built. */
  stamp: string;
}

type SaveResult = Result<SavingRecord, SaveBuild>;

export interface PreparerOptions {
  /** From `createClient`. */
  client: Calls;
  /** The origin of the deployment, or `sandbox`. Decides which network's rules the transactions must follow. */
  origin: string;
  /**
   * Stores sent transactions until their outcome is known. All instances of a backend must share it, and it must outlive
   * them. Without that, two signatures for one purchase can both be sent.
   */
  storage?: Storage;
  /** Lock shared by all instances that use the same storage. */
  lock?: Lock;
  priceSource?: PriceSource;
  clock?: Clock;
}

/** Prepares savings and submits them when their signatures arrive. */
export interface Preparer {
  /** Builds and verifies a saving. Nothing is signed or sent. */
  prepareSave(
    request: PrepareRequest,
    options?: Abortable,
  ): Promise<{ status: "ready"; prepared: PreparedSave } | SaveResult>;
  /**
   * Verifies the signed bytes against what was prepared, and sends them. `stale` means that these bytes were not sent or
   * can no longer land: ask for a signature of the new `prepared`. A repeated call never pays twice.
   */
  submit(
    prepared: PreparedSave,
    signed: string,
    options?: Abortable,
  ): Promise<{ status: "stale"; prepared: PreparedSave } | SaveResult>;
}

interface SignedSave extends PreparedSave {
  signed: string;
  /** Storage key that is set once these bytes are sent. */
  key: string;
}

/** Creates a preparer for a backend that holds no key of the paying wallets. */
export function createPreparer(options: PreparerOptions): Preparer {
  const { client: calls, storage = memoryStorage(), lock = processLock(), clock = systemClock } = options;
  const network = toNetwork(toDeployment(options.origin));
  const prices = createPriceGuard({ storage, clock, network, source: options.priceSource });

  /** Runs a saving. @param given the signed bytes, and what they were prepared from; null to prepare only */
  async function run(request: PrepareRequest, given: SignedSave | null, { signal }: Abortable) {
    const { wallet, serviceWallet, ...saving } = readSaveRequest<PrepareRequest>(request);
    const { readSendCounter } = createRecordStore(() => storage, "save", wallet);
    const spec = createSaveSpec(wallet, serviceWallet, network);
    let stamp = "";
    let isFirst = true;
    let offered: PreparedSave | null = null;
    /** Uses the given build once, if nothing was sent since, or if an earlier call sent these very bytes. */
    const build: typeof spec.build = async (...args) => {
      stamp = await readSendCounter();
      const isUsable = isFirst && given !== null && (given.stamp === stamp || (await storage.get(given.key)) !== null);
      isFirst = false;
      return isUsable ? given.build : spec.build(...args);
    };
    const openSigner = async () => async () => {
      // The flow asks for the signature under the wallet's lock, right before it sends.
      await storage.set(given!.key, "sent");
      return given!.signed;
    };
    const result = await runFlow(
      { ...spec, build },
      { calls, clock, storage, lock, prices, maxWaitMs: DEFAULT_MAX_WAIT_MS, openSigner, onLanded: () => {} },
      toFlowRequest(saving),
      (shown) => {
        const { base64: transaction } = shown.transaction!;
        offered = { request, transaction, breakdown: shown.breakdown, build: shown, stamp };
        return transaction === given?.transaction;
      },
      signal,
    );
    return { result: toPublicResult(result), offered: offered as PreparedSave | null };
  }

  return {
    async prepareSave(request, own = {}) {
      const { result, offered } = await run(request, null, own);
      return result.status === "cancelled" && offered ? { status: "ready", prepared: offered } : result;
    },
    async submit(prepared, signed, own = {}) {
      const key = `roundup-submitted:${readFirstSignature(signed)}`;
      const { result, offered } = await run(prepared.request, { ...prepared, signed, key }, own);
      return result.status === "cancelled" && offered ? { status: "stale", prepared: offered } : result;
    },
  };
}
