/** Thrown when the command line is invalid. The command exits with code 2. */
export class UsageError extends Error {}

/** Runs a task on the user's input. @throws {UsageError} in place of any error that the task throws */
export function withUsageErrors<Value>(task: () => Value): Value {
  try {
    return task();
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}
