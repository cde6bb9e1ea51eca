import { ApiError } from "../calls/api-error";

/**
 * Loads a module on first use.
 * @throws {ApiError} with the code `offline` when the module does not load, so that the person checks the connection
 */
export async function loadModule<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw new ApiError("offline", "A part of this program could not be loaded. Check your connection.", { cause });
  }
}
