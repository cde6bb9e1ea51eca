interface Reason {
  /** Part of the changed code's first line. */
  code: string;
  /** The replacement; absent for any replacement. */
  to?: string;
  reason: string;
}

const REFERENCE_KEY = "Noticed by marks-on-chain.test.ts, which is too slow for this file's list.";
const EXPIRY_FREES = "Noticed by claims.test.ts, which is too slow for this file's list.";

/** Explains, by file, why a test cannot or need not notice these mutants. */
export const REASONS: Record<string, Reason[]> = {
  "lib/domain/expiry.ts": [
    {
      code: "a.slot <= b.slot",
      to: "a.slot < b.slot",
      reason: "Equivalent: at equal slots only equal heights fit, in either order.",
    },
  ],
  "lib/domain/money.ts": [
    { code: "amount < 0n", to: "amount <= 0n", reason: "Equivalent: the negative of 0 is 0." },
    { code: "e < 0", to: "e <= 0", reason: "Equivalent: a number's text never begins with its exponent." },
    { code: "point < 0", to: "point <= 0", reason: "Equivalent: a number's text never begins with its point." },
    { code: "shift < 0", to: "shift <= 0", reason: "Equivalent: both branches return the digits for a shift of 0." },
    {
      code: "solPriceMicroUsd <= 0n",
      to: "solPriceMicroUsd < 0n",
      reason: "Equivalent: the division by a price of 0 throws a RangeError as well.",
    },
    {
      code: "millionths === 0n",
      to: "false",
      reason: "Equivalent: the division by a percentage of 0 throws a RangeError as well.",
    },
  ],
  "lib/domain/round-up.ts": [
    {
      code: "incrementMicroUsd <= 0n",
      to: "incrementMicroUsd < 0n",
      reason: "Equivalent: the division by an increment of 0 throws a RangeError as well.",
    },
  ],
  "lib/domain/fee-policy.ts": [
    {
      code: "deposit > rentMin",
      to: "deposit >= rentMin",
      reason: "Equivalent: the share of a difference of 0 is 0.",
    },
  ],
  "lib/services/steps/keys/key-places.ts": [
    {
      code: "holder === null",
      to: "true",
      reason: "Equivalent: the store refuses to set a place that is held. The check only saves that call.",
    },
  ],
  "lib/services/steps/saving/claims.ts": [
    { code: 'mark.kind === "ref"', reason: REFERENCE_KEY },
    { code: '"ref"', reason: REFERENCE_KEY },
    { code: "mark.key !== null", reason: REFERENCE_KEY },
    { code: "{", to: "{}", reason: REFERENCE_KEY },
    { code: '"Its memo names a reference', reason: "Irrelevant: the sentence only explains the refusal." },
    { code: '"rpc"', reason: "Irrelevant: the cause goes to the log only." },
    { code: '"refuses what was sent before"', reason: "Irrelevant: the cause goes to the log only." },
    {
      code: 'signed.mark.kind === "through"',
      to: "true",
      reason: "Equivalent: a period is no transaction signature, so no build has left a note for it.",
    },
    {
      code: 'mark.kind === "through"',
      to: "true",
      reason: "Equivalent: two claims of one period have the same value and slot, so neither is newer.",
    },
    {
      code: "bound && !held.bound",
      reason: "Equivalent: the claim is replaced by one with the same expiry.",
    },
    {
      code: 'outcome.state === "landed"',
      to: "true",
      reason: "Equivalent: the other outcome left is an expiry. It has no `error`, which is not null either.",
    },
  ],
  "lib/sdk/verify/signed.ts": [{ code: "[]", reason: "Equivalent: no account has this text as its address." }],
  "lib/sdk/verify/plausible.ts": [
    { code: "usd !== undefined", to: "true", reason: "Equivalent: a missing price is not within the bounds either." },
  ],
  "lib/sdk/verify/withdrawal.ts": [{ code: "[]", reason: "Equivalent: no account has this text as its address." }],
  "lib/domain/withdraw/withdrawal.ts": [
    {
      code: "error instanceof RangeError",
      to: "true",
      reason: "Irrelevant: composeTransaction throws RangeErrors only. The check keeps other bugs visible.",
    },
    { code: "open > source.amount", to: "open >= source.amount", reason: "Equivalent: both branches are equal then." },
    {
      code: "least - lamports > missing",
      to: "least - lamports >= missing",
      reason: "Equivalent: an equal value is assigned again.",
    },
    { code: "spare > 0n", to: "spare >= 0n", reason: "Equivalent: both branches are 0 then." },
    { code: "{", to: "{}", reason: "Irrelevant: composeTransaction throws RangeErrors only, and undefined is falsy." },
    {
      code: "[]",
      reason: "Equivalent: the budget's size does not depend on its instructions.",
    },
  ],
  "lib/sdk/verify/wrap.ts": [
    { code: "saving !== undefined", to: "true", reason: "Equivalent: without a saving there is no fee either." },
  ],
  "lib/domain/withdraw/withdraw-choice.ts": [
    {
      code: "targets.get(",
      reason: "Equivalent: every account that gets here has tokens to send, and so a target.",
    },
    { code: "[]", reason: "Equivalent: no token has this text as its key." },
  ],
  "lib/domain/withdraw/withdraw-plan.ts": [
    {
      code: 'asked.asset === "SOL"',
      reason: "Equivalent: all choices for SOL are the same, and a choice without the asked tokens is never the best.",
    },
    { code: '"SOL"', to: '""', reason: "Equivalent: all choices for SOL are the same." },
    {
      code: "missing",
      reason: "Equivalent: the last choice lacks the least, and without a lack there is no later choice.",
    },
    { code: "plan.sent > 0n", reason: "Irrelevant: no SOL is sent in either case. Only the budget is smaller." },
    { code: "opens + opensLamports", reason: "Equivalent: listChoices leaves out what returns less than it costs." },
    { code: "returns >= opens", reason: "Equivalent: listChoices leaves out what returns less than it costs." },
  ],
  "lib/services/steps/saving/through.ts": [
    { code: "slot === null", to: "false", reason: "Equivalent: a stored null reads like an absent key." },
    { code: "after !== null", to: "true", reason: "Equivalent: null never matches, and is stored and read as absent." },
    { code: '"rpc"', reason: "Irrelevant: the cause goes to the log only." },
    { code: '"has no newer blockhash"', reason: "Irrelevant: the cause goes to the log only." },
  ],
  "lib/services/steps/relay/attempt.ts": [
    {
      code: "error instanceof TransactionFault",
      to: "true",
      reason: "Irrelevant: decodeTransaction throws TransactionFaults only. The check keeps other bugs visible.",
    },
    { code: "[]", reason: "Equivalent: checkFee sets the movements before they are read." },
  ],
  "lib/services/steps/saving/mark-search.ts": [
    { code: 'mark.kind === "ref"', reason: "Equivalent: only references have a key, and the value is a part of it." },
    { code: '"ref"', to: '""', reason: "Equivalent: only references have a key, and the value is a part of it." },
    { code: "[]", to: '["Stryker was here"]', reason: "Equivalent: each stored span of a reference has a list." },
    {
      code: "progress.above?.newest",
      reason: "Irrelevant: only an earlier version stored a part without transactions.",
    },
    { code: "!first || !last", reason: "Equivalent: a list has both a first and a last entry, or neither." },
    { code: '"rpc"', reason: "Irrelevant: the cause goes to the log only." },
    { code: '"lacks history that was read"', reason: "Irrelevant: the cause goes to the log only." },
    { code: "page.slice(1)", reason: "Equivalent: the entry that is listed again was read before and has no mark." },
    { code: "at < unknown.length", reason: "Equivalent: an empty part reads nothing." },
    { code: "true", to: "false", reason: "Equivalent: only the key's presence is read, never its value." },
  ],
  "lib/services/steps/saving/chain-marks.ts": [
    { code: '""', reason: "Equivalent: one claim covers all payments, so its key does not contain this value." },
    {
      code: "clock.now() >= oldestMs",
      reason: "Equivalent: at that moment no transaction is older than the start of the search.",
    },
    { code: "() => false", reason: "Equivalent: undefined is false too." },
    { code: "[saved]", reason: "Equivalent: the search before has required a node as new as the record." },
  ],
  "lib/services/execute-swap.ts": [
    { code: "known.size === 0", to: "false", reason: "Equivalent: without a service wallet no fee is due." },
    { code: "[]", reason: "Equivalent: no account is read for a transaction without lookup tables." },
    {
      code: "{ txSignature }",
      to: "{}",
      reason: "Irrelevant: the caller has signed the bytes and knows their signature.",
    },
  ],
  "lib/services/steps/relay/relay.ts": [
    { code: 'outcome.state === "expired"', reason: EXPIRY_FREES },
    { code: '"expired"', reason: EXPIRY_FREES },
    { code: "false", to: "true", reason: EXPIRY_FREES },
    { code: "unsent:", reason: "Equivalent: any two names keep followers that send apart from followers that do not." },
    { code: '""', reason: "Equivalent: any two names keep followers that send apart from followers that do not." },
    { code: "stopped: false", reason: "Equivalent: undefined is false too." },
    { code: "clock.now() - boundReadAt >= EXPIRY_POLL_MS", reason: "Irrelevant: one millisecond of an interval." },
    {
      code: "clock.now() - boundReadAt",
      to: "clock.now() + boundReadAt",
      reason: "Irrelevant: the bound is then read at each poll, which costs calls and changes no outcome.",
    },
    { code: "age >= ", reason: "Irrelevant: one millisecond of an interval." },
  ],
};
