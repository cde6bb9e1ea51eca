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
const SENTENCES: Record<string, string> = {
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

type Fields = Record<string, unknown>;

function toInstructionError(native: unknown): string | { [name: string]: string | number } {
  if (typeof native === "number") return INSTRUCTION_ERRORS[native] ?? "GenericError";
  const fields = native as Fields;
  if (typeof fields.code === "number") return { Custom: fields.code };
  if (typeof fields.msg === "string") return { BorshIoError: fields.msg };
  return "GenericError";
}

/** Converts LiteSVM's error to the JSON form of a cluster's RPC. */
export function toTransactionError(native: unknown): TransactionError {
  if (typeof native === "number") return TRANSACTION_ERRORS[native] ?? "SanitizeFailure";
  const fields = native as Fields & { err?: () => unknown; constructor: { name: string } };
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

function toWords(name: string): string {
  return SENTENCES[name] ?? name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

/** Describes the error as a cluster's RPC does after "Transaction simulation failed: ". */
export function describeError(err: TransactionError): string {
  if (typeof err === "string") return toWords(err);
  if (Array.isArray(err.InstructionError)) {
    const [index, inner] = err.InstructionError;
    const custom = (inner as { Custom?: number } | null)?.Custom;
    const text = custom === undefined ? toWords(String(inner)) : `custom program error: 0x${custom.toString(16)}`;
    return `Error processing Instruction ${index}: ${text}`;
  }
  const rent = err.InsufficientFundsForRent as { account_index?: number } | undefined;
  if (rent) return `Transaction results in an account (${rent.account_index}) with insufficient funds for rent`;
  return toWords(Object.keys(err)[0] ?? "SanitizeFailure");
}
