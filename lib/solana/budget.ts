import { fromBase64 } from "./bytes";
import {
  buildSetComputeUnitLimit,
  buildSetComputeUnitPrice,
  computeMaxUnitPrice,
  MAX_COMPUTE_UNITS,
} from "./compute-budget";
import type { DecodedInstruction, InstructionLike } from "./instructions";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  ED25519_PROGRAM,
  JUPITER_PROGRAM,
  MEMO_PROGRAM,
  SECP256K1_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "./programs";
import { countDerivationSteps, readOpenAccount, readTransferChecked } from "./token-instructions";

/*
 * The network charges for the compute units that a transaction asks for, not for those that it uses. So a transaction
 * asks for what a simulation of its *shape* used, and a little more.
 */

/** The priority fee that a transaction offers to land sooner. */
export interface PriorityFee {
  /** Micro-lamports per compute unit. */
  unitPrice: bigint;
  /** Upper bound of the priority fee in lamports, however many units the transaction uses. */
  maxLamports: bigint;
}

export const NO_PRIORITY_FEE: PriorityFee = { unitPrice: 0n, maxLamports: 0n };

/** The compute units of a transaction, and their price in micro-lamports. */
export interface ComputeBudget {
  unitLimit: number;
  unitPrice: bigint;
}

/** A budget, and what the network charges for a transaction with it, priority included. */
export interface PricedBudget extends ComputeBudget {
  networkFeeLamports: bigint;
}

/**
 * The most units that an instruction may ask for, while no simulation of its shape is known. The System program uses
 * exactly 150 (source: agave's builtins). The other numbers are at least twice what LiteSVM measures.
 */
const MAX_UNITS_BY_PROGRAM = new Map([
  [SYSTEM_PROGRAM, 150],
  [TOKEN_PROGRAM, 15_000],
  [TOKEN_2022_PROGRAM, 40_000],
  [ASSOCIATED_TOKEN_PROGRAM, 80_000],
  [MEMO_PROGRAM, 100_000],
  [JUPITER_PROGRAM, MAX_COMPUTE_UNITS],
]);
/** Units of an instruction of any other program. Source: DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT, agave. */
const DEFAULT_UNITS = 200_000;
/** Units of an instruction of a built-in program. Source: MAX_BUILTIN_ALLOCATION_COMPUTE_UNIT_LIMIT, agave. */
const DEFAULT_BUILTIN_UNITS = 3_000;
/** The built-in programs of an app's transaction. Source: agave's builtins-default-costs, without loaders and votes. */
const BUILTIN_PROGRAMS = new Set([SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM, ED25519_PROGRAM, SECP256K1_PROGRAM]);
/** Compute units of two instructions: the one that sets the limit, and the one that sets the price. */
const BUDGET_UNITS = 300;

export const computeMaxUnits = (programs: readonly string[]): number =>
  Math.min(
    MAX_COMPUTE_UNITS,
    programs.reduce((sum, program) => sum + (MAX_UNITS_BY_PROGRAM.get(program) ?? DEFAULT_UNITS), BUDGET_UNITS),
  );

/** Returns the units that the network grants a transaction with these instructions if it sets no limit. */
export const computeDefaultUnits = (programs: readonly string[]): number =>
  Math.min(
    MAX_COMPUTE_UNITS,
    programs.reduce((sum, program) => sum + (BUILTIN_PROGRAMS.has(program) ? DEFAULT_BUILTIN_UNITS : DEFAULT_UNITS), 0),
  );

const listPrograms = (instructions: readonly InstructionLike[]) => instructions.map(({ programId }) => programId);

/** Margin above the units that a simulation used. A shape does not tell everything, such as a memo's exact length. */
const UNIT_MARGIN_PERCENT = 20n;
const EXTRA_UNITS = 200;

/** Opening an address that already holds SOL, which anyone can send there, uses 3,081 units more. */
const EXTRA_OPENING_UNITS = 1_000;

/** Returns the units to ask for when a simulation used this many. @param programs those of the instructions */
export function addUnitMargin(usedUnits: number, programs: readonly string[] = []): number {
  const openingCount = programs.filter((program) => program === ASSOCIATED_TOKEN_PROGRAM).length;
  const unitsWithMargin = Number((BigInt(usedUnits) * (100n + UNIT_MARGIN_PERCENT) + 99n) / 100n);
  return unitsWithMargin + EXTRA_UNITS + openingCount * EXTRA_OPENING_UNITS;
}

export const computeDoubledUnits = (unitLimit: number): number => Math.ceil((2 * unitLimit) / 1.2);

/** Returns whether a transaction failed because it asked for too few units. Programs report it in two ways. */
export function isOutOfUnits(error: unknown): boolean {
  const text = JSON.stringify(error) ?? "";
  return text.includes("ComputationalBudgetExceeded") || text.includes("ProgramFailedToComplete");
}

/** @param usedUnits those of a simulation of this shape. Null when none is known */
export function chooseBudget(
  instructions: readonly InstructionLike[],
  { unitPrice, maxLamports }: PriorityFee,
  usedUnits: number | null = null,
): ComputeBudget {
  const programs = listPrograms(instructions);
  const maxUnits = computeMaxUnits(programs);
  const unitLimit = usedUnits === null ? maxUnits : Math.min(maxUnits, addUnitMargin(usedUnits, programs));
  const maxPrice = computeMaxUnitPrice(unitLimit, maxLamports);
  return { unitLimit, unitPrice: unitPrice < maxPrice ? unitPrice : maxPrice };
}

/** Builds the compute-budget instructions of a transaction. They come first. A price of 0 needs no instruction. */
export const buildBudgetInstructions = ({ unitLimit, unitPrice }: ComputeBudget): InstructionLike[] => [
  buildSetComputeUnitLimit(unitLimit),
  ...(unitPrice === 0n ? [] : [buildSetComputeUnitPrice(unitPrice)]),
];

/** @param part of the most units, for a wallet that cannot pay for all of them */
export const addDraftBudget = (instructions: readonly InstructionLike[], part = 1): InstructionLike[] => [
  buildSetComputeUnitLimit(Math.ceil(computeMaxUnits(listPrograms(instructions)) * part)),
  buildSetComputeUnitPrice(0n),
  ...instructions,
];

/** Memos whose lengths differ by less than this use about the same units, bytes. */
const MEMO_CLASS_BYTES = 64;

/**
 * Names all that decides how many units the instructions use: the programs and their instructions, the size and the
 * signers of a memo, the steps in which an associated account is derived (1,500 units each), and the mint of
 * Token-2022, whose extensions cost units. Compute-budget instructions are left out.
 */
export function describeShape(instructions: readonly DecodedInstruction[]): string {
  return instructions
    .filter(({ program }) => program !== COMPUTE_BUDGET_PROGRAM)
    .map(describeInstruction)
    .join(" ");
}

function describeInstruction(instruction: DecodedInstruction): string {
  const { program, accounts, data } = instruction;
  if (program === SYSTEM_PROGRAM) return "system";
  if (program === MEMO_PROGRAM) {
    const isAscii = data.every((byte) => byte < 0x80);
    return `memo${Math.ceil(data.length / MEMO_CLASS_BYTES)}${isAscii ? "" : "u"}-${accounts.length}`;
  }
  const opened = readOpenAccount(instruction);
  if (opened?.owner && opened.mint && opened.tokenProgram) {
    const steps = countDerivationSteps(opened.owner, opened.mint, opened.tokenProgram);
    return opened.tokenProgram === TOKEN_PROGRAM
      ? `open${steps}`
      : `open${steps}:${opened.tokenProgram}:${opened.mint}`;
  }
  if (program === TOKEN_PROGRAM) return `token${data[0]}`;
  if (program === TOKEN_2022_PROGRAM) return `token2022-${data[0]}:${readTransferChecked(instruction)?.mint ?? ""}`;
  return `${program}:${data[0]}`;
}

/** Names all that decides the fee of a transaction with one signature: the budget, accounts and data. */
export function describeCharge(
  instructions: readonly InstructionLike[],
  { unitLimit, unitPrice }: ComputeBudget,
): string {
  const metas = instructions.flatMap(({ accounts }) => accounts);
  const countKeys = (keys: string[]) => new Set(keys).size;
  const accountCount = countKeys([...metas.map(({ pubkey }) => pubkey), ...listPrograms(instructions)]);
  const writableCount = countKeys(metas.filter(({ isWritable }) => isWritable).map(({ pubkey }) => pubkey));
  const dataBytes = instructions.reduce((sum, { data }) => sum + (fromBase64(data)?.length ?? 0), 0);
  return [accountCount, writableCount, dataBytes, unitLimit, unitPrice].join(" ");
}

export const toDecoded = ({ programId, accounts, data }: InstructionLike): DecodedInstruction => ({
  program: programId,
  accounts: accounts.map(({ pubkey }) => pubkey),
  data: fromBase64(data) ?? new Uint8Array(),
});

/** Returns the smallest price that `percent` percent of the prices do not exceed (nearest rank). Returns 0 for none. */
export function findPercentile(prices: readonly bigint[], percent: number): bigint {
  const sortedPrices = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sortedPrices[Math.max(0, Math.ceil((percent / 100) * sortedPrices.length) - 1)] ?? 0n;
}
