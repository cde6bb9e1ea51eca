import type { TransactionError } from "./types";

/**
 * Error names by number. LiteSVM returns errors as numbers or objects, and its own enums are empty at run time.
 * Source: enums InstructionErrorFieldless and TransactionErrorFieldless, litesvm 1.4.1 internal.d.ts.
 */
const INSTRUCTION_ERRORS = (
  "GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall InsufficientFunds " +
  "IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized UninitializedAccount UnbalancedInstruction " +
  "ModifiedProgramId ExternalAccountLamportSpend ExternalAccountDataModified ReadonlyLamportChange ReadonlyDataModified " +
  "DuplicateAccountIndex ExecutableModified RentEpochModified NotEnoughAccountKeys AccountDataSizeChanged " +
  "AccountNotExecutable AccountBorrowFailed AccountBorrowOutstanding DuplicateAccountOutOfSync InvalidError " +
  "ExecutableDataModified ExecutableLamportChange ExecutableAccountNotRentExempt UnsupportedProgramId CallDepth " +
  "MissingAccount ReentrancyNotAllowed MaxSeedLengthExceeded InvalidSeeds InvalidRealloc ComputationalBudgetExceeded " +
  "PrivilegeEscalation ProgramEnvironmentSetupFailure ProgramFailedToComplete ProgramFailedToCompile Immutable " +
  "IncorrectAuthority AccountNotRentExempt InvalidAccountOwner ArithmeticOverflow UnsupportedSysvar IllegalOwner " +
  "MaxAccountsDataAllocationsExceeded MaxAccountsExceeded MaxInstructionTraceLengthExceeded " +
  "BuiltinProgramsMustConsumeComputeUnits BorshIoError"
).split(" ");

const TRANSACTION_ERRORS = (
  "AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound InsufficientFundsForFee InvalidAccountForFee " +
  "AlreadyProcessed BlockhashNotFound CallChainTooDeep MissingSignatureForFee InvalidAccountIndex SignatureFailure " +
  "InvalidProgramForExecution SanitizeFailure ClusterMaintenance AccountBorrowOutstanding WouldExceedMaxBlockCostLimit " +
  "UnsupportedVersion InvalidWritableAccount WouldExceedMaxAccountCostLimit WouldExceedAccountDataBlockLimit " +
  "TooManyAccountLocks AddressLookupTableNotFound InvalidAddressLookupTableOwner InvalidAddressLookupTableData " +
  "InvalidAddressLookupTableIndex InvalidRentPayingAccount WouldExceedMaxVoteCostLimit WouldExceedAccountDataTotalLimit " +
  "MaxLoadedAccountsDataSizeExceeded ResanitizationNeeded InvalidLoadedAccountsDataSizeLimit UnbalancedTransaction " +
  "ProgramCacheHitMaxLimit CommitCancelled"
).split(" ");

/** A cluster's messages for common errors. Source: solana-transaction-error and solana-instruction-error. */
const ERROR_MESSAGES: Record<string, string> = {
  AccountNotFound: "Attempt to debit an account but found no record of a prior credit.",
  ProgramAccountNotFound: "Attempt to load a program that does not exist",
  InsufficientFundsForFee: "Insufficient funds for fee",
  AlreadyProcessed: "This transaction has already been processed",
  BlockhashNotFound: "Blockhash not found",
  SignatureFailure: "Transaction did not pass signature verification",
  InsufficientFunds: "insufficient funds for instruction",
  MissingRequiredSignature: "missing required signature for instruction",
  InvalidAccountData: "invalid account data for instruction",
  InvalidInstructionData: "invalid instruction data",
  ComputationalBudgetExceeded: "Computational budget exceeded",
};

type ErrorFields = Record<string, unknown>;

function toInstructionError(nativeError: unknown): string | { [name: string]: string | number } {
  if (typeof nativeError === "number") return INSTRUCTION_ERRORS[nativeError] ?? "GenericError";
  const fields = nativeError as ErrorFields;
  if (typeof fields.code === "number") return { Custom: fields.code };
  if (typeof fields.msg === "string") return { BorshIoError: fields.msg };
  return "GenericError";
}

/** Converts LiteSVM's error to the JSON form of a cluster's RPC. */
export function toTransactionError(nativeError: unknown): TransactionError {
  if (typeof nativeError === "number") return TRANSACTION_ERRORS[nativeError] ?? "SanitizeFailure";
  const fields = nativeError as ErrorFields & { err?: () => unknown; constructor: { name: string } };
  if (typeof fields.err === "function") {
    return { InstructionError: [Number(fields.index), toInstructionError(fields.err())] };
  }
  if (typeof fields.accountIndex === "number") {
    const name = fields.constructor.name.replace(/^TransactionError/, "");
    return { [name]: { account_index: fields.accountIndex } };
  }
  if (typeof fields.index === "number") return { DuplicateInstruction: fields.index };
  return "SanitizeFailure";
}

function describeErrorName(name: string): string {
  return ERROR_MESSAGES[name] ?? name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

/** Describes the error as a cluster's RPC does after "Transaction simulation failed: ". */
export function describeError(err: TransactionError): string {
  if (typeof err === "string") return describeErrorName(err);
  if (Array.isArray(err.InstructionError)) {
    const [index, inner] = err.InstructionError;
    const customCode = (inner as { Custom?: number } | null)?.Custom;
    const text =
      customCode === undefined
        ? describeErrorName(String(inner))
        : `custom program error: 0x${customCode.toString(16)}`;
    return `Error processing Instruction ${index}: ${text}`;
  }
  const rent = err.InsufficientFundsForRent as { account_index?: number } | undefined;
  if (rent) return `Transaction results in an account (${rent.account_index}) with insufficient funds for rent`;
  return describeErrorName(Object.keys(err)[0] ?? "SanitizeFailure");
}
