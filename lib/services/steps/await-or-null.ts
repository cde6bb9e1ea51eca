import { AppError } from "../../errors";

/** Awaits a call. Returns null if it fails with an AppError. Rethrows every other error, because it is a bug. */
export async function awaitOrNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
