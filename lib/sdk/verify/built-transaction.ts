import { fromBase64 } from "../../solana/bytes";
import { MAX_COMPUTE_UNITS } from "../../solana/compute-budget";
import { BASE_FEE_LAMPORTS } from "../../solana/fees";
import { ASSOCIATED_TOKEN_PROGRAM, COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from "../../solana/programs";
import { associatedTokenAddress } from "../../solana/token-instructions";
import { decodeTransaction } from "../../solana/transactions";

/**
 * What this page can tell about a transaction before it signs. It brings web3.js with it: import it lazily.
 * An account that stands in a lookup table is null, since only the chain knows it; signers and programs never do.
 */
export interface BuiltInstruction {
  program: string;
  accounts: (string | null)[];
  data: Uint8Array;
}

export interface BuiltTransaction {
  signers: string[];
  /** The accounts that stand in the message itself. */
  keys: string[];
  instructions: BuiltInstruction[];
  /** Base fee and the most its priority fee can be, lamports. */
  networkFeeLamports: bigint;
}

/** The transaction is not what was shown; it must not be signed. */
export class NotAsShown extends Error {
  override name = "NotAsShown";
}

/** @throws {NotAsShown} */
export function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new NotAsShown(otherwise);
}

/** @throws {NotAsShown} when it cannot be read */
export function readBuilt(transaction: string): BuiltTransaction {
  const bytes = fromBase64(transaction);
  must(bytes !== null, "The transaction cannot be read.");
  try {
    const { decoded, signers } = decodeTransaction(bytes);
    const keys = decoded.message.staticAccountKeys.map((key) => key.toBase58());
    const instructions = decoded.message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      program: keys[programIdIndex]!,
      accounts: accountKeyIndexes.map((index) => keys[index] ?? null),
      data,
    }));
    const fee = BASE_FEE_LAMPORTS * BigInt(signers.length) + priorityFee(instructions);
    return { signers: keys.slice(0, signers.length), keys, instructions, networkFeeLamports: fee };
  } catch {
    throw new NotAsShown("The transaction cannot be read.");
  }
}

/** First byte of the compute-budget program's instructions (ComputeBudgetInstruction of the Solana SDK). */
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;

function priorityFee(instructions: BuiltInstruction[]): bigint {
  let units = BigInt(MAX_COMPUTE_UNITS);
  let price = 0n;
  for (const { program, data } of instructions) {
    if (program !== COMPUTE_BUDGET_PROGRAM) continue;
    const view = viewOf(data);
    if (data[0] === SET_UNIT_LIMIT && data.length === 5) units = BigInt(view.getUint32(1, true));
    if (data[0] === SET_UNIT_PRICE && data.length === 9) price += view.getBigUint64(1, true);
  }
  return (price * units + 999_999n) / 1_000_000n;
}

export const viewOf = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.byteLength);

/** @throws {NotAsShown} unless this wallet pays and nobody else has to sign */
export function mustBeSignedByAlone(built: BuiltTransaction, wallet: string): void {
  must(built.signers.length === 1 && built.signers[0] === wallet, "It asks for other signatures than your own.");
}

/** Tag of System `Transfer`. Source: solana-system-interface `SystemInstruction`. */
const SYSTEM_TRANSFER = 2;

/**
 * What the System program's transfers move, in order. A plain transfer is the only thing a service wallet may ask of it:
 * others could hand the wallet itself to a program.
 * @throws {NotAsShown}
 */
export function systemTransfers({ instructions }: BuiltTransaction): { to: string | null; lamports: bigint }[] {
  return instructions
    .filter(({ program }) => program === SYSTEM_PROGRAM)
    .map(({ accounts, data }) => {
      const view = viewOf(data);
      const isTransfer = data.length === 12 && view.getUint32(0, true) === SYSTEM_TRANSFER;
      must(isTransfer, "It changes the wallet in a way that was not shown.");
      return { to: accounts[1] ?? null, lamports: view.getBigUint64(4, true) };
    });
}

/**
 * Token accounts are opened for this owner only, each at the owner's own place.
 * @throws {NotAsShown}
 */
export function mustOpenAccountsOnlyFor({ instructions }: BuiltTransaction, owner: string): void {
  for (const { program, accounts } of instructions) {
    if (program !== ASSOCIATED_TOKEN_PROGRAM) continue;
    const [, account, holder, mint, , tokenProgram] = accounts;
    const known = typeof mint === "string" && typeof tokenProgram === "string";
    const own = holder === owner && (!known || account === associatedTokenAddress(owner, mint, tokenProgram));
    must(own, "It opens a token account for somebody else.");
  }
}
