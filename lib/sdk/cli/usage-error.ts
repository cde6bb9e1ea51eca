/** Thrown when the command line is invalid. The command exits with code 2. */
export class UsageError extends Error {}

/** Runs a parser for user input. @throws {UsageError} in place of any error that the parser throws */
export function readOption<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}
