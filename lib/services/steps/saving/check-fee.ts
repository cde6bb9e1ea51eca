import { carriesFee } from "../../../domain/fee-policy";
import { isExchange, type Movement, readAuthority } from "../../../domain/movements";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { listLookupTables } from "../../../solana/transactions";
import { toWalletFeed } from "../../records/feeds";
import type { LandedOutcome } from "../../records/landings";
import { wasSent } from "../../records/message-records";
import { readServiceWalletRecords } from "../../records/service-wallets";
import { findLandedOnCaughtUpNode } from "../relay/outcomes";
import { type CheckedPosting, type KnownPosting, type Posting, readMovements, readPayer } from "../relay/posting";
import { recordRefusal } from "./claims";

const HIDDEN_PULL_TEXT =
  "A saving by allowance must name the owner of the USDC as the first read-only key after its transfer's own accounts.";
const MISSING_TABLE_TEXT =
  "The network would refuse this transaction, so it was not sent: a lookup table it uses is missing or too short.";

/**
 * Refuses a deposit into a service wallet that does not carry the fee, and a pull that does not name its owner. Reads
 * `serviceWallets` again if token accounts or a lookup table may name payees. Never refuses a message that was sent
 * before, because the settings may name other collectors by now.
 * @returns the outcome if the transaction has landed although it would be refused
 * @throws AppError fee_missing; simulation_failed if a lookup table is missing; upstream_unavailable as above
 */
export async function checkFee(deps: Deps, posting: KnownPosting): Promise<LandedOutcome | CheckedPosting> {
  const movements = await readMovements(deps, posting);
  if (!movements) {
    // The simulation must not decide this. If the table appeared before the simulation, the transaction would pass
    // without a check of its fee.
    return refuseUnlessLanded(deps, posting, new AppError("simulation_failed", { message: MISSING_TABLE_TEXT }));
  }
  const isKnown = ({ to }: Movement) => posting.serviceWallets.has(to) || deps.feeCollectors.includes(to);
  const hasMorePayees =
    movements.some((movement) => movement.token && !isKnown(movement)) ||
    listLookupTables(posting.transaction.decoded).length > 0;
  const serviceWallets = hasMorePayees
    ? await readServiceWalletRecords(deps, listPayees(movements))
    : posting.serviceWallets;
  const checkedPosting = { ...posting, serviceWallets, movements, openFeeds: listOpenFeeds(posting, movements) };
  if (serviceWallets.size === 0) return checkedPosting;
  if (movements.some((movement) => serviceWallets.has(movement.to) && isHiddenPull(posting, movement, movements)))
    return refuseUnlessLanded(deps, posting, new AppError("invalid_transaction", { message: HIDDEN_PULL_TEXT }));
  const rentLamports = await deps.rpc.readRentExemptMinimum(0);
  const collectors = new Set(deps.feeCollectors);
  const isFeePaid = carriesFee(
    movements,
    (address) => serviceWallets.has(address),
    (address) => collectors.has(address),
    rentLamports,
  );
  if (isFeePaid) return checkedPosting;
  const landedOutcome = await findLandedOnCaughtUpNode(deps, posting);
  // Read this last, after all waits: another request may have sent these bytes in the meantime.
  if (!landedOutcome && !(await wasSent(deps, posting.transaction.message))) throw new AppError("fee_missing");
  return landedOutcome ?? checkedPosting;
}

/** Leaves out the feed of an owner whose tokens do not move, because anybody can name a wallet. */
function listOpenFeeds({ openFeeds, owner, transaction }: KnownPosting, movements: Movement[]) {
  const payer = readPayer(transaction);
  const isOwner = movements.some((movement) => movement.from === owner && readAuthority(movement) === payer);
  return owner === null || isOwner ? openFeeds : openFeeds.filter(([feed]) => feed !== toWalletFeed(owner));
}

/**
 * Returns whether a service wallet takes its owner's tokens by an allowance without naming the owner. The owner's history
 * would not list such a transaction.
 */
function isHiddenPull({ transaction }: Posting, movement: Movement, movements: Movement[]): boolean {
  const { staticAccountKeys } = transaction.decoded.message;
  return (
    movement.from !== movement.to &&
    readAuthority(movement) === movement.to &&
    !isExchange(movement, movements) &&
    !staticAccountKeys.some((key) => key.toBase58() === movement.from)
  );
}

export const listPayees = (movements: { to: string }[]) => [...new Set(movements.map(({ to }) => to))];

/**
 * Refuses the message with this error, unless the transaction has landed. A node that lags lacks a new lookup table, and
 * also a transaction that the wallet has sent itself.
 * @returns the outcome if the transaction has landed
 * @throws AppError `error`; upstream_unavailable if every node lags, or if a node has processed the transaction
 */
export async function refuseUnlessLanded(deps: Deps, posting: KnownPosting, error: AppError): Promise<LandedOutcome> {
  const landedOutcome = await findLandedOnCaughtUpNode(deps, posting);
  if (landedOutcome) return landedOutcome;
  throw await recordRefusal(deps, posting, error);
}
