import { AppError } from "../../errors";

/** Null instead of a planned failure of an upstream. */
export async function tolerate<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
