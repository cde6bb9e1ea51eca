import { VersionedTransaction } from "@solana/web3.js";
import {
  AGE_SLOTS,
  type Chain,
  hasReachedCommitment,
  type Json,
  refuseParams,
  type SignatureInfo,
} from "../chain/types";
import { encodeAccount, readAccountConfig } from "./account-json";
import {
  isObject,
  type Params,
  parseAddress,
  parseAddresses,
  parseCommitment,
  parseConfig,
  parseSignature,
} from "./params";
import { encodeProgramAccount, parseFilters } from "./program-accounts";

/** Follows one subscription. */
export interface Watch {
  /** Returns the `result` members of the notifications that are due, oldest first. */
  readResults: () => Json[];
  /** Receives every transaction at once. */
  onTransaction?: (info: SignatureInfo) => void;
  /** True for a subscription that ends with its first notification. */
  isOnce?: boolean;
}

/** The largest number of slots that one check reports. A test may advance the clock by days. */
const MAX_SLOTS_PER_CHECK = 50;

const toResult = (slot: number, value: Json): Json => ({ context: { slot }, value });

/** Waits until the signature's result has reached the requested commitment. */
function watchSignature(chain: Chain, params: Params): Watch {
  const signature = parseSignature(params, 0);
  const commitment = parseCommitment(parseConfig(params, 1));
  return {
    isOnce: true,
    readResults() {
      const info = chain.findSignature(signature);
      const isDue = info && hasReachedCommitment(chain.findCommitment(info), commitment);
      return isDue ? [toResult(chain.getSlot(), { err: info.err })] : [];
    },
  };
}

/** Reports changes of an account. It compares the newest states, which may not be confirmed. */
function watchAccount(chain: Chain, params: Params): Watch {
  const address = parseAddress(params, 0);
  const { encoding } = readAccountConfig(params, 1);
  const readEncodedAccount = () => encodeAccount(chain, chain.getAccount(address), encoding);
  let lastSentText = JSON.stringify(readEncodedAccount());
  return {
    readResults() {
      const account = readEncodedAccount();
      const text = JSON.stringify(account);
      if (text === lastSentText) return [];
      lastSentText = text;
      return [toResult(chain.getSlot(), account)];
    },
  };
}

/** Reports every new slot. */
function watchSlots(chain: Chain, encodeSlot: (slot: number) => Json): Watch {
  let lastSlot = chain.getSlot();
  return {
    readResults() {
      const slot = chain.getSlot();
      const firstSlot = Math.max(lastSlot + 1, slot - MAX_SLOTS_PER_CHECK + 1);
      lastSlot = slot;
      return Array.from({ length: Math.max(0, slot - firstSlot + 1) }, (_, index) => encodeSlot(firstSlot + index));
    },
  };
}

/** Reports something about each later transaction, once it has reached the commitment. */
function watchTransactions(
  chain: Chain,
  commitment: Parameters<typeof hasReachedCommitment>[1],
  encodeTransaction: (info: SignatureInfo) => Json[],
): Watch {
  /** Oldest first, so that those which have reached the commitment are at the start. */
  const waitingTransactions: SignatureInfo[] = [];
  return {
    onTransaction: (info) => void waitingTransactions.push(info),
    readResults() {
      if (waitingTransactions.length === 0) return [];
      const firstWaiting = waitingTransactions.findIndex(
        (info) => !hasReachedCommitment(chain.findCommitment(info), commitment),
      );
      const dueCount = firstWaiting < 0 ? waitingTransactions.length : firstWaiting;
      const dueTransactions = waitingTransactions.splice(0, dueCount);
      return dueTransactions.flatMap((info) => encodeTransaction(info).map((value) => toResult(info.slot, value)));
    },
  };
}

/** Reads the filter of logsSubscribe. @returns null for all transactions, else the one mentioned address */
function parseLogsFilter(filter: unknown): string | null {
  if (filter === "all" || filter === "allWithVotes") return null;
  if (!isObject(filter)) return refuseParams("Invalid params: a filter of all, allWithVotes or mentions is expected");
  const addresses = parseAddresses(filter.mentions, 1);
  return addresses[0] ?? refuseParams("Invalid Request: Only 1 address supported");
}

function watchLogs(chain: Chain, params: Params): Watch {
  const address = parseLogsFilter(params[0]);
  return watchTransactions(chain, parseCommitment(parseConfig(params, 1)), ({ signature }) => {
    const record = chain.findTransaction(signature);
    if (!record || (address !== null && !record.accountKeys.includes(address))) return [];
    return [{ signature, err: record.err, logs: record.logs }];
  });
}

/** Reports the accounts of a program that a transaction wrote, as they are when it reaches the commitment. */
function watchProgram(chain: Chain, params: Params): Watch {
  const programId = parseAddress(params, 0);
  const { config, encoding } = readAccountConfig(params, 1);
  const accept = parseFilters(config);
  return watchTransactions(chain, parseCommitment(config), ({ signature }) => {
    const record = chain.findTransaction(signature);
    if (!record) return [];
    const { message } = VersionedTransaction.deserialize(Buffer.from(record.raw, "base64"));
    return record.accountKeys
      .filter((_, index) => message.isAccountWritable(index))
      .flatMap((address) => {
        const account = chain.getAccount(address);
        const isWanted = account?.owner === programId && accept(account.data);
        return isWanted ? [encodeProgramAccount(chain, address, account, encoding)] : [];
      });
  });
}

/** Starts to follow a subscription, by the name of the method before "Subscribe". */
export const WATCHES: ReadonlyMap<string, (chain: Chain, params: Params) => Watch> = new Map([
  ["signature", watchSignature],
  ["account", watchAccount],
  ["slot", (chain) => watchSlots(chain, (slot) => ({ parent: slot - 1, root: slot - AGE_SLOTS.finalized, slot }))],
  ["root", (chain) => watchSlots(chain, (slot) => slot - AGE_SLOTS.finalized)],
  ["logs", watchLogs],
  ["program", watchProgram],
]);
