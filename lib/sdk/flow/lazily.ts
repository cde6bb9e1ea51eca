import { ApiError } from "../calls/api-error";

/** Loads a part of the program; a part that does not come is a lost connection, not a wrong transaction. */
export async function lazily<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new ApiError("offline", "A part of this program could not be loaded. Check your connection.", { cause });
  }
}
