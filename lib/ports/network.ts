/** The network that a deployment serves. `mainnet-beta` is Solana's own name for its main network. */
export type NetworkName = "sandbox" | "mainnet-beta";
