/**
 * An expected failure of the operator command: one sentence for the terminal and an exit code. AppError is for answers
 * of the HTTP service, which this command never gives.
 */
export class OperatorFailure extends Error {
  override readonly name = "OperatorFailure";
  constructor(
    message: string,
    readonly exitCode: 1 | typeof COMMAND_LINE_EXIT_CODE = 1,
  ) {
    super(message);
  }
}

/** The exit code of a command line that the help text does not allow. */
export const COMMAND_LINE_EXIT_CODE = 2;

export const createCommandLineFailure = (message: string) => new OperatorFailure(message, COMMAND_LINE_EXIT_CODE);
