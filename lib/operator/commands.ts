import { getNodeName, readBalances } from "./chain";
import { deriveAccounts, deriveCollectors, deriveFunder } from "./collectors";
import { createOperatorFile, type OperatorFile } from "./operator-file";
import { formatStatus, toStatusJson } from "./report";
import type { OperatorSession } from "./send";
import { formatExactSol } from "./table";

/**
 * Creates the operator file. Prints the line for the service's environment, and the address that needs SOL for `fund`.
 * @param input.seed 32 random bytes
 * @throws {OperatorFailure} when the file exists or cannot be written
 */
export async function initOperator(
  input: OperatorFile & { file: string; print: OperatorSession["print"] },
): Promise<void> {
  const { file, seed, treasury, print } = input;
  await createOperatorFile(file, { seed, treasury });
  print(`Wrote ${file} (only you can read it). Keep a backup: without it the collectors' balances are lost.`);
  print("Put this line in the service's environment:");
  print(`FEE_COLLECTORS=${deriveCollectorAddresses(seed).join(",")}`);
  print("Then send SOL to the funder and run `fund`:");
  print(`Funder: ${deriveFunder(seed).publicKey.toBase58()}`);
}

/** Returns the collectors' public keys, base58, in their fixed order. @param seed 32 bytes */
export function deriveCollectorAddresses(seed: Uint8Array): string[] {
  return deriveCollectors(seed).map(({ publicKey }) => publicKey.toBase58());
}

/**
 * The exit codes of `status`. A collector can take every fee if it holds the rent-exempt minimum and has a USDC account.
 * With none that holds the minimum, nothing can be saved. Without a USDC account, savings in SOL go on.
 */
const STATUS_EXIT_CODES = { allFees: 0, someFees: 3, noFees: 4 };

/**
 * Prints every balance.
 * @param options.isJson true prints JSON for programs, with amounts in lamports
 * @returns one of STATUS_EXIT_CODES
 * @throws {OperatorFailure} when the node does not answer
 */
export async function printStatus(
  { chain, operatorFile, print }: OperatorSession,
  { isJson }: { isJson: boolean },
): Promise<number> {
  const { accounts } = deriveAccounts(operatorFile);
  const balances = await readBalances(chain, accounts);
  const { rentMinimumLamports, collectorLamports, collectorUsdc } = balances;
  if (isJson) print(JSON.stringify(toStatusJson(getNodeName(chain), accounts, balances)));
  else {
    print(`Balances at ${getNodeName(chain)}; rent-exempt minimum ${formatExactSol(rentMinimumLamports)} SOL`);
    print(formatStatus(accounts, balances));
  }
  const isFunded = (lamports: bigint) => lamports >= rentMinimumLamports;
  if (!collectorLamports.some(isFunded)) return STATUS_EXIT_CODES.noFees;
  const takesAllFees = collectorLamports.every(isFunded) && collectorUsdc.every(({ state }) => state === "open");
  return takesAllFees ? STATUS_EXIT_CODES.allFees : STATUS_EXIT_CODES.someFees;
}
