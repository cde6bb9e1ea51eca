import type { buildWithdrawContract } from "../../contracts/build-withdraw";
import type { DataOf } from "../../contracts/define";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../../solana/programs";
import { associatedTokenAddress } from "../../solana/token-instructions";
import {
  type BuiltInstruction,
  type BuiltTransaction,
  must,
  mustBeSignedByAlone,
  mustOpenAccountsOnlyFor,
  readBuilt,
  systemTransfers,
  viewOf,
} from "./built-transaction";

type WithdrawBuild = DataOf<typeof buildWithdrawContract>;

/** `TokenInstruction` of github.com/solana-program/token. */
const TRANSFER_CHECKED = 12;
const CLOSE_ACCOUNT = 9;

const PROGRAMS = new Set([SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN_PROGRAM]);

/**
 * Whether the transactions of a build send exactly what was shown, to that destination and nowhere else. Nothing in them
 * is hidden from here: no other program takes part.
 * @throws {NotAsShown}
 */
export function verifyWithdrawal(build: WithdrawBuild, wallet: string, destination: string): void {
  must(build.destination === destination, "It goes to another address.");
  let fee = 0n;
  let sol = 0n;
  for (const { transaction, assets } of build.transactions) {
    const built = readBuilt(transaction);
    mustBeSignedByAlone(built, wallet);
    const known = built.instructions.every(({ program }) => PROGRAMS.has(program));
    must(known, "It uses a program that has no part in a withdrawal.");
    mustOpenAccountsOnlyFor(built, destination);
    const sent = sentBy(built, wallet, destination);
    const shown = new Map(assets.map(({ mint, symbol, amount }) => [symbol === "SOL" ? "SOL" : mint, BigInt(amount)]));
    must(sent.size === shown.size, "It sends other things than were shown.");
    for (const [key, amount] of shown) must(sent.get(key) === amount, "It sends other amounts than were shown.");
    fee += built.networkFeeLamports;
    sol += sent.get("SOL") ?? 0n;
  }
  must(fee <= BigInt(build.costs.networkFeeLamports), "Its network fee is higher than was shown.");
  must(sol === BigInt(build.receivedLamports), "It sends another amount of SOL than was shown.");
}

/** Base units by mint, and by "SOL" for lamports. */
function sentBy(built: BuiltTransaction, wallet: string, destination: string): Map<string, bigint> {
  const sent = new Map<string, bigint>();
  const add = (key: string, amount: bigint) => sent.set(key, (sent.get(key) ?? 0n) + amount);
  for (const { to, lamports } of systemTransfers(built)) {
    must(to === destination, "It sends SOL to another address.");
    add("SOL", lamports);
  }
  for (const instruction of built.instructions) {
    if (instruction.program !== TOKEN_PROGRAM && instruction.program !== TOKEN_2022_PROGRAM) continue;
    const transfer = tokenTransfer(instruction, wallet, destination);
    if (transfer && transfer.amount > 0n) add(transfer.mint, transfer.amount);
  }
  return sent;
}

/** Null for an account that is closed. Wrapped SOL is unwrapped by closing, never transferred. */
function tokenTransfer({ program, accounts, data }: BuiltInstruction, wallet: string, destination: string) {
  if (data[0] === CLOSE_ACCOUNT) {
    must(accounts[1] === wallet, "A deposit would return to somebody else.");
    return null;
  }
  must(data[0] === TRANSFER_CHECKED && data.length === 10, "It does something with your tokens that was not shown.");
  const mint = accounts[1];
  must(typeof mint === "string" && mint !== NATIVE_MINT, "It sends a token that was not shown.");
  must(accounts[2] === associatedTokenAddress(destination, mint, program), "It sends tokens to another address.");
  return { mint, amount: viewOf(data).getBigUint64(1, true) };
}
