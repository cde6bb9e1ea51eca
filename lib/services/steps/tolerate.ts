import { AppError } from "../../errors";

/** Returns null if the call fails with an AppError. Throws every other error again, because it is a bug. */
export async function tolerate<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
