/** The command was asked for something it does not offer. */
export class UsageError extends Error {}

/** Runs what reads a person's words. @throws {UsageError} whatever it throws */
export function readOption<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}
