import { decodeActivity, type TransactionFigures } from "../../../domain/activity";
import { ASSETS } from "../../../domain/assets";
import { listLandedSavings, listSavedInto } from "../../../domain/built-saving";
import { untilCaughtUp } from "../../../domain/catch-up";
import { type EventType, toEventType } from "../../../domain/events";
import { type Movement, toTokenMovements } from "../../../domain/movements";
import { STORE_KEYS } from "../../../domain/store-keys";
import { awaitOrNull } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { fromBase64 } from "../../../solana/bytes";
import type { DecodedInstruction } from "../../../solana/instructions";
import { COMPUTE_BUDGET_PROGRAM, LIGHTHOUSE_PROGRAM, MEMO_PROGRAM } from "../../../solana/programs";
import { readInstructions } from "../../../solana/read-transaction";
import { isSystemTransfer, readSystemMovements } from "../../../solana/system-instructions";
import { findDerivation, readTransferChecked, type TokenMovement } from "../../../solana/token-instructions";
import {
  decodeTransaction,
  listLookupTables,
  readTxSignature,
  type SignedTransaction,
} from "../../../solana/transactions";
import { appendEvent, raiseHead, type TransactionEvent, toWalletFeed } from "../../records/feeds";
import { PENDING_SET, type PendingEntry, type PendingRecord } from "../../records/pending";
import { readReferenceText } from "../../records/references";
import { findServiceWallets } from "../../records/service-wallets";
import type { FinalOutcome } from "./outcomes";
import { readAllowanceOwner, readMarks, readPayer } from "./posting";

/** Notes that a feed has the event of an expired transaction, which has no record of a landing. */
const { toKey: toEventNoteKey, ttlMs: EVENT_NOTE_TTL_MS } = STORE_KEYS.eventOfExpired;
/** Its event is written without amounts if no node returns a transaction for this long. */
const AMOUNTS_TIMEOUT_MS = 60 * 60_000;

/**
 * Writes the event of a pending transaction to each of its feeds, and ends its pending state once its outcome is
 * recorded. Until then, or while no node returns the landed transaction, a later round repeats the call. The event and
 * the outcome are written at the same time, so that a shared store gets both in one command.
 * @param isOutcomeRecorded resolves to whether the outcome is recorded and the transaction's claims have ended
 */
export async function recordEvent(
  deps: Deps,
  pendingEntry: PendingEntry,
  outcome: FinalOutcome,
  isOutcomeRecorded: Promise<boolean>,
): Promise<void> {
  const { kv } = deps;
  const { feeds, name } = pendingEntry;
  const event = await buildEvent(deps, pendingEntry, outcome);
  if (!event) return;
  const eventNumbers = await Promise.all(feeds.map(([feed, head]) => appendEvent(deps, feed, event, head)));
  if (!(await isOutcomeRecorded)) return;
  // The record of a landing keeps the transaction from being listed again. An expired transaction has no record.
  if (outcome.state === "expired")
    await Promise.all(feeds.map(([feed]) => kv.set(toEventNoteKey(event.txSignature, feed), true, EVENT_NOTE_TTL_MS)));
  const headUpdates = feeds.map(([feed], i) => raiseHead(kv, feed, eventNumbers[i]!));
  await Promise.all([...headUpdates, kv.removeMember(PENDING_SET, name)]);
}

const NO_AMOUNTS = { savings: [], solChangeLamports: 0n, tokenChanges: [] };

async function buildEvent(
  deps: Deps,
  { transaction, since: pendingSinceMs, feeds }: PendingRecord,
  outcome: FinalOutcome,
): Promise<TransactionEvent | null> {
  const signedTransaction = decodeTransaction(fromBase64(transaction)!);
  const txSignature = readTxSignature(signedTransaction);
  // A saving by allowance is its owner's. Only a proven owner's feed is listed.
  const owner = readAllowanceOwner(signedTransaction);
  const isOwner = owner !== null && feeds.some(([feed]) => feed === toWalletFeed(owner));
  const wallet = isOwner ? owner : readPayer(signedTransaction);
  const mark = readMarks(signedTransaction)[0]?.mark;
  const reference = mark?.kind === "ref" ? await readReferenceText(deps, wallet, mark.value) : null;
  const now = deps.clock.now();
  const commonFields = { time: now, wallet, txSignature, reference };
  if (outcome.state === "expired") return { type: "transaction.expired", ...commonFields, ...NO_AMOUNTS };
  if (outcome.error !== null) return { type: "transaction.failed", ...commonFields, ...NO_AMOUNTS };
  const transferFigures = computeTransferFigures(signedTransaction);
  const figures = transferFigures ?? (await awaitOrNull(readLandedFigures(deps, txSignature)));
  // Without a fee, the transaction was included and has not run.
  if (!transferFigures && figures?.feeLamports === 0n)
    return { type: "transaction.failed", ...commonFields, ...NO_AMOUNTS };
  if (!figures && now - pendingSinceMs < AMOUNTS_TIMEOUT_MS) return null;
  const listSavings = () =>
    figures
      ? listLandedSavings(figures, wallet, deps.feeCollectors)
      : listSavedInto(readStaticMovements(signedTransaction), wallet, deps.feeCollectors);
  const savings = reference === null || readMarks(signedTransaction).length > 1 ? [] : listSavings();
  if (!figures) {
    const type = readEventTypeFromBytes(signedTransaction, wallet, deps.feeCollectors);
    return { type, ...commonFields, ...NO_AMOUNTS, savings };
  }
  const activity = decodeActivity(figures, wallet, deps.feeCollectors);
  const isServiceWallet = activity.type === "withdrawal" && (await findServiceWallets(deps, [wallet])).has(wallet);
  const { solChangeLamports, tokenChanges } = activity;
  const type = toEventType(activity, isServiceWallet);
  return { type, ...commonFields, savings, solChangeLamports, tokenChanges };
}

/** Reads the event type from the bytes alone. They show a saving within a larger transaction, but no swap or sale. */
function readEventTypeFromBytes(
  signedTransaction: SignedTransaction,
  wallet: string,
  feeCollectors: readonly string[],
): EventType {
  const isSaving = listSavedInto(readStaticMovements(signedTransaction), wallet, feeCollectors).length > 0;
  if (!isSaving) return "transaction.confirmed";
  return readMarks(signedTransaction).some(({ mark }) => mark.kind === "topup")
    ? "topup.confirmed"
    : "saving.confirmed";
}

/** Reads the transfers whose accounts the bytes themselves name. Those that a lookup table names are missing. */
const readStaticMovements = ({ decoded }: SignedTransaction) =>
  readSystemMovements(
    decoded,
    decoded.message.staticAccountKeys.map((key) => key.toBase58()),
  );

/**
 * Returns whether an instruction moves no lamports and no tokens. The first two instructions of Lighthouse pay for a
 * memory account and close it.
 */
const movesNothing = ({ program, data }: DecodedInstruction) =>
  program === COMPUTE_BUDGET_PROGRAM || program === MEMO_PROGRAM || (program === LIGHTHOUSE_PROGRAM && data[0]! > 1);

/** Reads a transfer between USDC accounts whose owners this process knows, since it has derived both. */
function readDerivedTransfer({ accounts, ...instruction }: DecodedInstruction) {
  const transfer = readTransferChecked({ ...instruction, accounts: accounts.slice(0, 4) });
  const [from, to] = [findDerivation(transfer?.source ?? ""), findDerivation(transfer?.destination ?? "")];
  const isKnown = from?.mint === ASSETS.USDC.mint && to?.mint === from.mint;
  return isKnown && transfer?.authority ? { ...(transfer as TokenMovement), decimals: transfer.decimals } : null;
}

/**
 * Computes the figures of a landed transaction from its bytes alone. Returns null if it does more than transfer SOL, and
 * USDC between accounts that this process has derived. The bytes of a swap do not show what it paid. Balances start at
 * 0, and the network fee is left out.
 */
function computeTransferFigures(signedTransaction: SignedTransaction): TransactionFigures | null {
  const { decoded } = signedTransaction;
  const accountKeys = decoded.message.staticAccountKeys.map((key) => key.toBase58());
  if (listLookupTables(decoded).length > 0) return null;
  const instructions = readInstructions(decoded.message, accountKeys);
  const isShown = (instruction: DecodedInstruction) =>
    isSystemTransfer(instruction) || movesNothing(instruction) || readDerivedTransfer(instruction) !== null;
  if (!instructions.every(isShown)) return null;
  const tokenMovements = instructions.flatMap((instruction) => readDerivedTransfer(instruction) ?? []);
  const systemMovements = readSystemMovements(decoded, accountKeys);
  const movements: Movement[] = [...systemMovements, ...toTokenMovements(tokenMovements, findDerivation)];
  const toBalance = (account: string, amount: bigint, decimals: number) => {
    return { accountIndex: accountKeys.indexOf(account), ...findDerivation(account)!, amount, decimals };
  };
  const sumLamports = (address: string, side: "from" | "to") =>
    movements.reduce((sum, movement) => (movement[side] === address ? sum + movement.lamports : sum), 0n);
  return {
    accountKeys,
    feeLamports: 0n,
    preBalances: accountKeys.map(() => 0n),
    postBalances: accountKeys.map((address) => sumLamports(address, "to") - sumLamports(address, "from")),
    // A balance before counts as a loss of its amount, and one after as a gain.
    preTokenBalances: tokenMovements.map(({ source, amount, decimals }) => toBalance(source, amount, decimals)),
    postTokenBalances: tokenMovements.map(({ destination, amount, decimals }) =>
      toBalance(destination, amount, decimals),
    ),
    movements,
    innerMovements: [],
    tokenMovements,
    createdAccounts: [],
    stakedAccounts: [],
    signers: accountKeys.slice(0, signedTransaction.signers.length),
    programs: [],
    marks: readMarks(signedTransaction),
  };
}

async function readLandedFigures({ rpc, clock }: Deps, txSignature: string) {
  const figures = await untilCaughtUp(clock, () => rpc.readTransaction(txSignature), Boolean);
  return figures === "unsupported" ? null : figures;
}
