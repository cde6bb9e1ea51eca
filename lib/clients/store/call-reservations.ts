import { z } from "zod";
import { STORE_KEYS } from "../../domain/store-keys";
import { checkReply, type StoreCommands } from "./kv-shared";

/**
 * Reserves the next calls of a token bucket that all instances share. Returns how long until the last of them is due,
 * ms, possibly negative.
 * @throws AppError upstream_* when the store cannot answer
 */
export type ReserveCalls = (
  name: string,
  block: {
    count: number;
    /** The time in which one token is added, ms. */
    gapMs: number;
    /** The time in which an empty bucket is full, ms. */
    burstMs: number;
  },
) => Promise<number>;

export const createCallReserver =
  ({ runScript }: Pick<StoreCommands, "runScript">): ReserveCalls =>
  async (name, { count, gapMs, burstMs }) => {
    const args = [String(count * gapMs), String(burstMs)];
    return checkReply(z.int(), await runScript("reserveCalls", STORE_KEYS.callBudget.toKey(name), args));
  };
