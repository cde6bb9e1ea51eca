import { toNetwork } from "../domain/signed-texts";
import { type Abortable, type Calls, DEFAULT_MAX_WAIT_MS } from "./calls/calls";
import { createRecordStore } from "./flow/record";
import { type Result, runFlow } from "./flow/run-flow";
import { createSaveSpec, type SaveBuild, type SavingRecord } from "./flow/save";
import { type Clock, createMemoryStorage, createProcessLock, type Lock, type Storage, systemClock } from "./platform";
import { createPriceGuard, type PriceSource } from "./prices/guard";
import { checkSaveRequest, type SaveRequest } from "./requests";
import { toDeployment } from "./sign/texts";
import { readFirstSignature } from "./sign/transactions";

/** A saving for a wallet elsewhere, such as a customer's in a page. */
export interface PrepareRequest extends SaveRequest {
  /** The wallet that pays and signs. */
  wallet: string;
  /** The service wallet of `wallet`, from your own records. */
  serviceWallet: string;
}

/** A saving that waits for its signature. It holds no secrets and survives JSON. Store it out of the page's reach. */
export interface PreparedSave {
  request: PrepareRequest;
  /** Unsigned, base64. */
  transaction: string;
  /** How long the network takes the transaction, counted from the call of `prepareSave` or `submit`, ms. */
  validForMs: number;
  breakdown: SaveBuild["breakdown"];
  build: SaveBuild;
  /** The wallet's counter of sent transactions, as read before this transaction was built. */
  stamp: string;
}

type SaveResult = Result<SavingRecord, SaveBuild>;

export interface PreparerOptions {
  /** A client that `createClient` made. */
  client: Calls;
  /** The origin of the deployment, or `sandbox`. It decides which network's rules the transactions must follow. */
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

export interface Preparer {
  /** Builds and verifies a saving. It signs and sends nothing. */
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

/** `submittedKey` is a storage key that is set right before these bytes are sent. */
type SignedSave = PreparedSave & { signed: string; submittedKey: string };

/**
 * Creates a preparer for a backend that holds no key of the paying wallets.
 * @throws {RangeError} when `origin` is neither an origin nor `sandbox`
 */
export function createPreparer(options: PreparerOptions): Preparer {
  const { client: calls, storage = createMemoryStorage(), lock = createProcessLock(), clock = systemClock } = options;
  const network = toNetwork(toDeployment(options.origin));
  const prices = createPriceGuard({ storage, clock, network, source: options.priceSource });

  /** @param signedSave null to prepare only */
  async function runSaving(request: PrepareRequest, signedSave: SignedSave | null, { signal }: Abortable) {
    const { wallet, serviceWallet, ...saveRequest } = checkSaveRequest(request);
    const { readSendCounter } = createRecordStore(() => storage, "save", wallet);
    const spec = createSaveSpec(wallet, serviceWallet, network);
    let sendCounter = "";
    let isFirstBuild = true;
    let newPrepared: PreparedSave | null = null;
    /** Uses the prepared build once, if nothing was sent since, or if an earlier call sent these very bytes. */
    const build: typeof spec.build = async (...args) => {
      sendCounter = await readSendCounter();
      const isPrepared = isFirstBuild && signedSave !== null;
      isFirstBuild = false;
      const isUsable =
        isPrepared && (signedSave.stamp === sendCounter || (await storage.get(signedSave.submittedKey)) !== null);
      return isUsable ? signedSave.build : spec.build(...args);
    };
    const openSigner = async () => async () => {
      // The flow asks for the signature under the wallet's lock, right before it sends.
      await storage.set(signedSave!.submittedKey, "sent");
      return signedSave!.signed;
    };
    const result = await runFlow(
      { ...spec, build },
      { calls, clock, storage, lock, prices, maxWaitMs: DEFAULT_MAX_WAIT_MS, openSigner },
      saveRequest,
      (newBuild) => {
        const { base64: transaction, validForMs } = newBuild.transaction!;
        const { breakdown } = newBuild;
        newPrepared = { request, transaction, validForMs, breakdown, build: newBuild, stamp: sendCounter };
        return transaction === signedSave?.transaction;
      },
      signal,
    );
    return { result, newPrepared: newPrepared as PreparedSave | null };
  }

  return {
    async prepareSave(request, callOptions = {}) {
      const { result, newPrepared } = await runSaving(request, null, callOptions);
      return result.status === "cancelled" && newPrepared ? { status: "ready", prepared: newPrepared } : result;
    },
    async submit(prepared, signed, callOptions = {}) {
      const submittedKey = `roundup-submitted:${readFirstSignature(signed)}`;
      const signedSave = { ...prepared, signed, submittedKey };
      const { result, newPrepared } = await runSaving(prepared.request, signedSave, callOptions);
      return result.status === "cancelled" && newPrepared ? { status: "stale", prepared: newPrepared } : result;
    },
  };
}
