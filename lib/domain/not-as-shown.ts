/** Reasons to refuse to sign a transaction. The codes are stable: clients may log and compare them. */
const REASONS = {
  unreadable: "The transaction cannot be read.",
  two_transactions: "What there is to sign is given in two forms that differ.",
  nothing_to_sign: "There is no transaction to sign.",
  other_signer: "It asks for other signatures than the wallet's own.",
  unknown_program: "It uses a program that has no part in this.",
  unknown_instruction: "It does something that was not shown.",
  hidden_account: "It hides an account in a lookup table that must stand in the transaction itself.",
  foreign_account: "It opens a token account that is not the wallet's own for this.",
  deposit_elsewhere: "A closed account's deposit would go to somebody else.",
  sol_elsewhere: "It sends SOL to another address.",
  tokens_elsewhere: "It sends tokens to another address.",
  too_much_sol: "It sends more SOL than was shown.",
  other_amount: "It moves another amount than was shown.",
  other_token: "It buys or sells another token than was asked for.",
  not_one_swap: "It is not exactly one swap.",
  other_authority: "It swaps in somebody else's name.",
  stays_wrapped: "It leaves the SOL it brings wrapped.",
  other_source: "It takes what it sells from another account.",
  below_minimum: "It may bring less than the minimum that was shown.",
  slippage: "It allows more slippage than was chosen.",
  swap_fee: "It pays a fee to the venue that was not shown.",
  implausible: "At no plausible price is this what was asked for.",
  not_asked_for: "It is not what was asked for.",
  other_wallet: "It does not go to the wallet's own service wallet.",
  fee_too_high: "Its service fee is higher than the plan allows.",
  network_fee: "Its network fee is higher than was shown.",
  total: "Its total is not the one that was shown.",
  changed_by_wallet: "The wallet made another transaction of it than was shown, so it was not sent.",
  memo: "Its note is not the one that was asked for.",
} as const;

export type Reason = keyof typeof REASONS;

/** Thrown when a transaction differs from the one shown or requested. It must not be signed. */
export class NotAsShown extends Error {
  override name = "NotAsShown";
  constructor(readonly reason: Reason) {
    super(REASONS[reason]);
  }
}

/** Asserts a rule. @throws {NotAsShown} with `reason` when `holds` is false */
export function must(holds: boolean, reason: Reason): asserts holds {
  if (!holds) throw new NotAsShown(reason);
}
