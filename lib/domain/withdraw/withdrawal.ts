import { BASE_FEE_LAMPORTS } from "../../solana/fees";
import type { InstructionLike } from "../../solana/instructions";
import { type Budget, budgetInstructions, budgetOf, NO_PRIORITY, type Priority } from "../../solana/priority";
import { systemTransfer } from "../../solana/system-instructions";
import { closeAccount, createAssociatedTokenAccountIdempotent, transferChecked } from "../../solana/token-instructions";
import { composeTransaction } from "../../solana/transactions";

/** How a wallet is emptied, or a part of it sent, in transactions that it signs and pays alone. */

/** One token account of the wallet. Amounts are base units, deposits lamports. */
export interface Source {
  account: string;
  mint: string;
  program: string;
  decimals: number;
  amount: bigint;
  /** What the account holds in SOL, wrapped SOL included. */
  lamports: bigint;
  /** Wrapped SOL. */
  native: boolean;
  closable: boolean;
}

/** A token account of the wallet that stays. */
export interface Stuck {
  mint: string;
  /** Base units. */
  amount: bigint;
  decimals: number;
  reason: string;
}

/** The recipient's account for a mint. */
export interface Target {
  account: string;
  /** Null when it exists. */
  openingLamports: bigint | null;
}

/** What happens to one token account; always in one transaction. */
export interface Move {
  mint: string;
  instructions: InstructionLike[];
  /** Null when the account is only closed. */
  sent: { mint: string; amount: bigint; decimals: number } | null;
  /** Paid for the recipient's new token account. */
  opensLamports: bigint;
  /** Comes back from the closed account. */
  returnsLamports: bigint;
}

export interface WithdrawalEnds {
  wallet: string;
  destination: string;
}

/** Which target a source's tokens go to: the recipient has one account for each mint and program. */
export const targetKey = ({ mint, program }: { mint: string; program: string }) => `${program}:${mint}`;

/**
 * Sends `amount` in all, or everything when it is null, taken from the sources in their order. Moves that open no
 * account come first: the deposits they return pay for those that do.
 * @param targets of every source that holds something and is not wrapped SOL, by targetKey
 * @param closes false: leaves emptied token accounts open, so that tokens arriving meanwhile cannot make the transaction fail
 */
export function movesOf(
  ends: WithdrawalEnds,
  sources: Source[],
  targets: Map<string, Target>,
  amount: bigint | null,
  closes = true,
): Move[] {
  let open = amount;
  const shares = sources.map((source) => {
    const share = open === null || open > source.amount ? source.amount : open;
    if (open !== null) open -= share;
    return { source, share, target: (!source.native && share > 0n && targets.get(targetKey(source))) || null };
  });
  const opens = ({ target }: { target: Target | null }) => target !== null && target.openingLamports !== null;
  const opened = new Set<string>();
  const moves: Move[] = [];
  for (const { source, share, target } of [...shares.filter((one) => !opens(one)), ...shares.filter(opens)]) {
    const isOpen = opened.has(targetKey(source));
    if (target) opened.add(targetKey(source));
    const to = target && isOpen ? { ...target, openingLamports: null } : target;
    const move = moveOf(ends, source, share, to, closes);
    // A part that is taken leaves the accounts it does not need as they are.
    if (move && (amount === null || share > 0n)) moves.push(move);
  }
  return moves;
}

/** Sends `amount` of a token account, and closes it when nothing is left and its owner may. Null when there is nothing to do. */
function moveOf(
  { wallet, destination }: WithdrawalEnds,
  source: Source,
  amount: bigint,
  target: Target | null,
  mayClose: boolean,
): Move | null {
  const { account, mint, program, decimals, lamports } = source;
  const empties = amount === source.amount && (target !== null || amount === 0n);
  // The program closes an account of wrapped SOL whatever it holds by then.
  const closes = source.closable && (source.native || (empties && mayClose));
  const opens = target?.openingLamports ?? null;
  const instructions: InstructionLike[] = [];
  if (opens !== null) {
    instructions.push(createAssociatedTokenAccountIdempotent({ payer: wallet, owner: destination, mint }, program));
  }
  if (target) {
    const accounts = { source: account, destination: target.account, authority: wallet };
    instructions.push(transferChecked({ ...accounts, mint, amount, decimals }, program));
  }
  if (closes) instructions.push(closeAccount({ account, destination: wallet, owner: wallet }, program));
  if (instructions.length === 0) return null;
  return {
    mint,
    instructions,
    sent: target && { mint, amount, decimals },
    opensLamports: opens ?? 0n,
    returnsLamports: closes ? lamports : 0n,
  };
}

/** Lamports to send: so many, all that is left in the end, or none. */
export type SolPart = bigint | "all" | "none";

export interface Withdrawal {
  /** The moves of each transaction, in the order they must run; the SOL goes in the last one. */
  groups: Move[][];
  /** Of each transaction. */
  budgets: Budget[];
  networkFee: bigint;
  deposits: bigint;
  returned: bigint;
  /** SOL that is sent. */
  sent: bigint;
  /** SOL of the wallet afterwards; negative when more is asked for than there is. */
  remaining: bigint;
  /** SOL the wallet lacks to pay fees and deposits on the way; 0 when it can. */
  missing: bigint;
}

/**
 * Lays moves out over as few transactions as hold them, in their order, and follows the wallet's SOL through each.
 * @param balance the wallet's lamports
 * @param rentMin rent-exempt minimum of an empty account
 * @param priority what each transaction offers
 * @param keepRentMinimum the wallet keeps at least `rentMin` throughout, so that SOL arriving meanwhile cannot make a transaction fail
 */
export function planWithdrawal(
  ends: WithdrawalEnds,
  moves: Move[],
  sol: SolPart,
  {
    balance,
    rentMin,
    priority = NO_PRIORITY,
    keepRentMinimum = false,
  }: { balance: bigint; rentMin: bigint; priority?: Priority; keepRentMinimum?: boolean },
): Withdrawal {
  const groups = packMoves(ends, moves, sol !== "none", priority);
  const budgets = groups.map((group, i) => {
    const withSol = sol !== "none" && i === groups.length - 1;
    return budgetOf(withSol ? [...instructionsIn(group), solTransfer(ends, 0n)] : instructionsIn(group), priority);
  });
  let lamports = balance;
  let missing = 0n;
  const mustHold = (least: bigint) => {
    if (least - lamports > missing) missing = least - lamports;
  };
  // The runtime wants the payer rent-exempt, or emptied, after the fee and again after the instructions.
  const mustBeSound = () => mustHold(lamports === 0n && !keepRentMinimum ? 0n : rentMin);
  for (const [i, group] of groups.entries()) {
    lamports -= budgets[i]!.networkFeeLamports;
    mustBeSound();
    for (const { opensLamports, returnsLamports } of group) {
      lamports -= opensLamports;
      mustHold(0n);
      lamports += returnsLamports;
    }
    if (i < groups.length - 1 || sol === "none" || keepRentMinimum) mustBeSound();
  }
  // A wallet with less than this can pay no fee, so what it keeps could never leave.
  const spare = keepRentMinimum ? lamports - rentMin - BASE_FEE_LAMPORTS : lamports;
  const sent = sol === "all" ? (spare > 0n ? spare : 0n) : sol === "none" ? 0n : sol;
  return {
    groups,
    budgets,
    networkFee: budgets.reduce((sum, { networkFeeLamports }) => sum + networkFeeLamports, 0n),
    deposits: moves.reduce((sum, { opensLamports }) => sum + opensLamports, 0n),
    returned: moves.reduce((sum, { returnsLamports }) => sum + returnsLamports, 0n),
    sent,
    remaining: lamports - sent,
    missing,
  };
}

/** The instructions of each transaction of a plan. */
export function instructionsOf(ends: WithdrawalEnds, { groups, budgets, sent }: Withdrawal): InstructionLike[][] {
  return groups.map((group, i) => {
    const instructions = [...budgetInstructions(budgets[i]!), ...instructionsIn(group)];
    const isLast = i === groups.length - 1;
    return isLast && sent > 0n ? [...instructions, solTransfer(ends, sent)] : instructions;
  });
}

const instructionsIn = (group: Move[]) => group.flatMap((move) => move.instructions);
const solTransfer = ({ wallet, destination }: WithdrawalEnds, lamports: bigint) =>
  systemTransfer(wallet, destination, lamports);

/** Each group fits one transaction, the last one together with a transfer of SOL when `withSol`. */
function packMoves(ends: WithdrawalEnds, moves: Move[], withSol: boolean, priority: Priority): Move[][] {
  const besides = [...budgetInstructions(budgetOf([], priority)), ...(withSol ? [solTransfer(ends, 0n)] : [])];
  const groups: Move[][] = [];
  let group: Move[] = [];
  for (const move of moves) {
    // Room for the transfer is kept in every group: any of them may turn out to be the last.
    if (fits(ends.wallet, [...instructionsIn([...group, move]), ...besides])) {
      group.push(move);
    } else {
      groups.push(group);
      group = [move];
    }
  }
  if (group.length > 0 || withSol) groups.push(group);
  return groups;
}

/** Any 32 bytes: only the size matters. */
const ANY_BLOCKHASH = "11111111111111111111111111111111";

function fits(payer: string, instructions: InstructionLike[]): boolean {
  try {
    composeTransaction({ payer, instructions, blockhash: ANY_BLOCKHASH });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
