/** Reasons to refuse to sign a transaction. The codes are stable: clients may log and compare them. */
const REASON_TEXTS = {
  unreadable: "The transaction cannot be read.",
  two_transactions: "The service returned two forms of the transaction that differ.",
  nothing_to_sign: "There is no transaction to sign.",
  other_signer: "It requires other signatures than the wallet's own.",
  unknown_program: "It uses a program that is not needed for this payment.",
  unknown_instruction: "It contains an instruction that was not shown.",
  hidden_account: "It names an account only in a lookup table, so the account cannot be checked.",
  foreign_account: "It opens a token account that this payment does not need.",
  deposit_elsewhere: "It sends a closed account's deposit to another address.",
  sol_elsewhere: "It sends SOL to another address.",
  tokens_elsewhere: "It sends tokens to another address.",
  too_much_sol: "It sends more SOL than was shown.",
  other_amount: "It moves a different amount than was shown.",
  other_token: "It moves a different token than was requested.",
  not_one_swap: "It is not exactly one swap.",
  other_authority: "It swaps in the name of another wallet.",
  stays_wrapped: "It does not unwrap the SOL that it buys.",
  other_source: "It sells tokens from a different account.",
  below_minimum: "It may bring less than the minimum that was shown.",
  slippage: "It allows more slippage than was chosen.",
  swap_fee: "It pays a fee to the venue that was not shown.",
  implausible: "Its amounts match the request at no plausible price.",
  not_asked_for: "It is not the transaction that was requested.",
  other_wallet: "It does not pay into the wallet's own savings wallet.",
  fee_too_high: "Its service fee is higher than the plan allows.",
  network_fee: "Its network fee is higher than was shown.",
  total: "Its total differs from the one that was shown.",
  changed_by_wallet: "The wallet changed the transaction that was shown, so it was not sent.",
  memo: "Its memo is not the one that was requested.",
} as const;

export type Reason = keyof typeof REASON_TEXTS;

/** Thrown when a transaction differs from the one shown or requested. Such a transaction must not be signed. */
export class NotAsShown extends Error {
  override name = "NotAsShown";
  constructor(readonly reason: Reason) {
    super(REASON_TEXTS[reason]);
  }
}

/** Asserts a rule. @throws {NotAsShown} with `reason` when `isMet` is false */
export function assertAsShown(isMet: boolean, reason: Reason): asserts isMet {
  if (!isMet) throw new NotAsShown(reason);
}
