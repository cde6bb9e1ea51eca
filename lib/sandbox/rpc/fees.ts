import type { VersionedMessage } from "@solana/web3.js";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../../solana/programs";
import { LOOKUP_TABLE_PROGRAM, MEMO_PROGRAMS } from "../chain/decode-transaction";

/** The base fee, in lamports. Every cluster charges it. */
const LAMPORTS_PER_SIGNATURE = 5000;
/** Compute units charged per instruction of a message that sets no limit. Source: solana-program-runtime, SIMD-0170. */
const DEFAULT_PROGRAM_UNITS = 200_000;
const DEFAULT_BUILTIN_UNITS = 3_000;
const MAX_UNITS = 1_400_000;
/** Instructions of the compute-budget program, by their first data byte. */
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;

/** The programs that are charged DEFAULT_PROGRAM_UNITS. The others are built into the runtime. */
const ON_CHAIN_PROGRAMS = new Set([
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  ...MEMO_PROGRAMS,
]);

/** Returns a message's fee in lamports: the base fee for each signature plus the priority fee, rounded up. */
export function computeFee(message: VersionedMessage): number {
  let priceMicroLamports = 0n;
  let unitLimit: number | null = null;
  let defaultUnits = 0;
  for (const { programIdIndex, data } of message.compiledInstructions) {
    const program = message.staticAccountKeys[programIdIndex]?.toBase58() ?? "";
    defaultUnits += ON_CHAIN_PROGRAMS.has(program) ? DEFAULT_PROGRAM_UNITS : DEFAULT_BUILTIN_UNITS;
    if (program !== COMPUTE_BUDGET_PROGRAM) continue;
    const view = new DataView(data.buffer, data.byteOffset, data.length);
    if (data[0] === SET_UNIT_LIMIT && data.length >= 5) unitLimit = view.getUint32(1, true);
    if (data[0] === SET_UNIT_PRICE && data.length >= 9) priceMicroLamports = view.getBigUint64(1, true);
  }
  const units = BigInt(Math.min(unitLimit ?? defaultUnits, MAX_UNITS));
  const priorityLamports = (priceMicroLamports * units + 999_999n) / 1_000_000n;
  return message.header.numRequiredSignatures * LAMPORTS_PER_SIGNATURE + Number(priorityLamports);
}
