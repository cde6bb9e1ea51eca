/**
 * An expected failure of the operator command: one sentence for the terminal and an exit code. AppError is for answers
 * of the HTTP service, which this command never gives.
 */
export class OperatorFailure extends Error {
  constructor(
    message: string,
    /** 1: the command failed. 2: wrong usage. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
    this.name = "OperatorFailure";
  }
}
