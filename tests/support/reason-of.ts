import { NotAsShown, type Reason } from "../../lib/domain/not-as-shown";

/** Why a check lets something not be signed; null when it lets it. */
export function reasonOf(work: () => unknown): Reason | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof NotAsShown) return error.reason;
    throw error;
  }
}
