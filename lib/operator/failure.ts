/**
 * A planned end of the operator command: one sentence for the person at the terminal and the exit code. (AppError's
 * codes are answers of the HTTP service; this command never answers HTTP.)
 */
export class OperatorFailure extends Error {
  constructor(
    message: string,
    /** 1: it could not be done; 2: it was asked for wrongly. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
    this.name = "OperatorFailure";
  }
}
