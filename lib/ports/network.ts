/** The name that the cluster has for itself. */
export type NetworkName = "sandbox" | "mainnet-beta";
