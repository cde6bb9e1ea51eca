import { ApiError } from "../calls/api-error";

/** Loads a module on first use. @throws {ApiError} `offline` when it does not load, so that no transaction is blamed */
export async function loadModule<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new ApiError("offline", "A part of this program could not be loaded. Check your connection.", { cause });
  }
}
