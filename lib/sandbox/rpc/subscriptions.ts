import { AGE_SLOTS, type Chain, hasReachedCommitment, type Json } from "../chain/types";
import { encodeAccount, readAccountConfig } from "./account-json";
import { type Params, parseAddress, parseCommitment, parseConfig, parseSignature } from "./params";

/** Follows one subscription. */
export interface Watch {
  /** Returns the `result` members of the notifications that are due, oldest first. */
  readResults: () => Json[];
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

/** Reports every new slot, with its parent and the newest finalized slot. */
function watchSlots(chain: Chain): Watch {
  const encodeSlot = (slot: number) => ({ parent: slot - 1, root: slot - AGE_SLOTS.finalized, slot });
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

/** Starts to follow a subscription, by the name of the method before "Subscribe". */
export const WATCHES: ReadonlyMap<string, (chain: Chain, params: Params) => Watch> = new Map([
  ["signature", watchSignature],
  ["account", watchAccount],
  ["slot", watchSlots],
]);
