/* Program addresses and the mint of wrapped SOL. They are the same on every cluster. */

export const SYSTEM_PROGRAM = "11111111111111111111111111111111";
export const COMPUTE_BUDGET_PROGRAM = "ComputeBudget111111111111111111111111111111";
export const ED25519_PROGRAM = "Ed25519SigVerify111111111111111111111111111";
export const SECP256K1_PROGRAM = "KeccakSecp256k11111111111111111111111111111";
export const TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
export const TOKEN_2022_PROGRAM = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
export const ASSOCIATED_TOKEN_PROGRAM = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
export const STAKE_PROGRAM = "Stake11111111111111111111111111111111111111";

/** The SPL memo program, version 2. */
export const MEMO_PROGRAM = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";
/** Jupiter aggregator, version 6. */
export const JUPITER_PROGRAM = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4";

/** Assertions that wallets add to the transactions they sign: github.com/Jac0xb/lighthouse. */
export const LIGHTHOUSE_PROGRAM = "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95";

/** Wrapped SOL. Aggregators also use this mint for native SOL. */
export const NATIVE_MINT = "So11111111111111111111111111111111111111112";
