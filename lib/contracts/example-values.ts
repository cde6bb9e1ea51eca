/** The wallets of every example, so that requests and answers tell one story; where a shell shows it they are variables. */
export const EXAMPLE_WALLET = "HxF4PMsbDqcuUMdrsYtiopC6DgEbebC4A34SE4yCKrLd";
export const EXAMPLE_SERVICE_WALLET = "GUkjXdyq4Z9khP59FsNpRnYThWvgRUu1Lgm1JU17BwLK";
export const EXAMPLE_KEY_ID = "a11b654c308b17b4";
/** In place of what only the caller can make: a signature, a signed transaction. */
export const EXAMPLE_GAP = "…";
