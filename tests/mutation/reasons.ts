/** Part of the changed code's first line, and the replacement. Without a replacement, every replacement matches. */
type Change = string | [code: string, replacement: string];

const LOG_ONLY = "Irrelevant: the cause goes to the log only.";
const KNOWN_SIGNATURE = "Irrelevant: the caller has signed the bytes and knows their signature.";
const READ_AHEAD = "Irrelevant: keys are read ahead only to save store calls.";
const INTERVAL = "Irrelevant: one millisecond of an interval.";
const UNDEFINED_IS_FALSE = "Equivalent: undefined is false too.";

/** Explains, by file, why a test cannot or need not notice these changes. The first change that matches counts. */
export const REASONS: Record<string, Record<string, Change[]>> = {
  "lib/domain/expiry.ts": {
    "Equivalent: at equal slots only equal heights fit, in either order.": [
      ["headA.slot <= headB.slot", "headA.slot < headB.slot"],
    ],
  },
  "lib/domain/money.ts": {
    "Equivalent: a number's text begins with neither its exponent nor its point.": [
      ["exponentIndex < 0", "exponentIndex <= 0"],
      ["pointIndex < 0", "pointIndex <= 0"],
    ],
    "Equivalent: both amounts are returned alike when they are equal.": [["first > second", "first >= second"]],
    "Equivalent: the negative of 0 is 0.": [["amount < 0n", "amount <= 0n"]],
    "Equivalent: both branches return the digits for a shift of 0.": [["shift < 0", "shift <= 0"]],
    "Equivalent: the division by a price of 0 throws a RangeError as well.": [
      ["solPriceMicroUsd <= 0n", "solPriceMicroUsd < 0n"],
    ],
    "Equivalent: the division by a percentage of 0 throws a RangeError as well.": [["millionths === 0n", "false"]],
  },
  "lib/domain/round-up.ts": {
    "Equivalent: the division by an increment of 0 throws a RangeError as well.": [
      ["incrementMicroUsd <= 0n", "incrementMicroUsd < 0n"],
    ],
  },
  "lib/domain/fee-policy.ts": {
    "Equivalent: the share of a difference of 0 is 0.": [
      ["deposit > rentMinimumLamports", "deposit >= rentMinimumLamports"],
    ],
  },
  "lib/services/records/key-places.ts": {
    "Equivalent: the store refuses to set a place that is held. The check only saves that call.": [
      ["holder === null", "true"],
    ],
  },
  "lib/services/steps/saving/claims.ts": {
    [READ_AHEAD]: [
      ["findWraps(movements, deps.feeCollectors).filter", "findWraps(movements, deps.feeCollectors)"],
      ["from === wallet", "true"],
    ],
    "Irrelevant: only the progress of the search is then read ahead of a later try. Older progress reads more again.": [
      ["tryCount === 0", "true"],
    ],
    "Equivalent: the store has no note under this text.": [["[]", '["Stryker was here"]']],
    "Equivalent: a claim that was not written is not the stored one, so no claim is replaced.": [
      ["claimResult.value", "true"],
    ],
    "Irrelevant: the sentence only explains the refusal.": ['"The memo names a reference'],
    [LOG_ONLY]: ["{ cause: ", '"rpc"', '"refuses what was sent before"'],
    [KNOWN_SIGNATURE]: [["{ txSignature }", "{}"]],
    "Equivalent: no build leaves a note for a period, and of two claims of one period neither is newer.": [
      ['kind === "through"', "true"],
    ],
    "Equivalent: the claim is replaced by one with the same expiry.": ["bound && !held.bound"],
    "Equivalent: the other outcome left is an expiry. It has no `error`, which is not null either.": [
      ['outcome.state === "landed"', "true"],
    ],
  },
  "lib/sdk/verify/signed.ts": { "Equivalent: no account has this text as its address.": ["[]"] },
  "lib/sdk/verify/swap-fairness.ts": {
    "Equivalent: a missing price is not within the bounds either.": [["priceUsd !== undefined", "true"]],
  },
  "lib/sdk/verify/withdrawal.ts": {
    "Equivalent: no account has this text as its address.": ["[]"],
    "Irrelevant: the contract refuses an amount without an asset.": [["asset === null", "false"]],
  },
  "lib/domain/withdraw/withdrawal.ts": {
    "Irrelevant: composeTransaction throws RangeErrors only. The check keeps other bugs visible.": [
      ["error instanceof RangeError", "true"],
    ],
    "Equivalent: both branches are equal then.": [["> source.amount", "remainingAmount >= source.amount"]],
    "Equivalent: an equal value is assigned again.": [
      ["minimumLamports - lamports > missingLamports", "minimumLamports - lamports >= missingLamports"],
    ],
    "Irrelevant: composeTransaction throws RangeErrors only, and undefined is falsy.": [["{", "{}"]],
    "Equivalent: the budget's size does not depend on its instructions.": ["[]"],
  },
  "lib/sdk/verify/wrap.ts": {
    "Equivalent: without a saving there is no fee either.": [["saving !== undefined", "true"]],
  },
  "lib/domain/withdraw/withdraw-choice.ts": {
    "Equivalent: every account that gets here has tokens to send, and so a target.": ["targets.get("],
    "Equivalent: no token has this text as its key.": ["[]"],
  },
  "lib/domain/withdraw/withdraw-plan.ts": {
    "Equivalent: all choices for SOL are the same, and a choice without the requested tokens is never the best.": [
      'request.asset === "SOL"',
      ['"SOL"', '""'],
    ],
    "Equivalent: the last choice lacks the least, and without a lack there is no later choice.": ["missingLamports"],
    "Irrelevant: no SOL is sent in either case. Only the budget is smaller.": ["withdrawal.sentLamports > 0n"],
    "Equivalent: without an asset there is no amount, and null exceeds no balance.": [
      ["asset !== null", "true"],
      ["facts.amount !== null", "true"],
    ],
    "Equivalent: a withdrawal that sends no SOL has moves, and no rule for sent SOL refuses those.": ['"none"'],
    "Equivalent: listChoices leaves out what returns less than it costs.": [
      "sum.openingLamports + openingLamports",
      "returnedLamports >= openingLamports",
    ],
  },
  "lib/services/steps/relay/posting.ts": {
    "Irrelevant: decodeTransaction throws TransactionFaults only. The check keeps other bugs visible.": [
      ["error instanceof TransactionFault", "true"],
    ],
  },
  "lib/services/steps/saving/mark-search.ts": {
    "Equivalent: only references have a key, and the value is a part of it.": ['mark.kind === "ref"', ['"ref"', '""']],
    "Equivalent: each stored span of a reference has a list.": [["[]", '["Stryker was here"]']],
    "Irrelevant: only an earlier version stored a part without transactions.": ["progress.above?.newest"],
    "Equivalent: a list has both a first and a last entry, or neither.": ["!first || !last"],
    [LOG_ONLY]: ['"rpc"', '"lacks history that was read"'],
    "Equivalent: the entry that is listed again was read before and has no mark.": ["page.slice(1)"],
    "Equivalent: an empty part reads nothing.": ["chunkStart < unreadIndexes.length"],
    "Equivalent: only the key's presence is read, never its value.": [["true", "false"]],
  },
  "lib/services/execute-transaction.ts": {
    "Irrelevant: no fee is due without a service wallet. The check only saves a read of the rent minimum.": [
      ["serviceWallets.size === 0", "false"],
    ],
    "Equivalent: without a lookup table, no entry of this list is read.": [["[]", '["Stryker was here"]']],
    [KNOWN_SIGNATURE]: [["{ txSignature }", "{}"]],
  },
  "lib/services/steps/relay/relay.ts": {
    "Equivalent: any two names keep followers that send apart from followers that do not.": ["unsent:", '""'],
    [UNDEFINED_IS_FALSE]: ["isStopped: false"],
    "Equivalent: recordOutcome replaces this value.": [["false", "true"]],
    [INTERVAL]: [
      ["clock.now() - boundReadAt >= EXPIRY_POLL_MS", "clock.now() - boundReadAt > EXPIRY_POLL_MS"],
      "ageMs >= ",
    ],
  },
};
