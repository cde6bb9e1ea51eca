/** As the cluster calls itself. */
export type NetworkName = "sandbox" | "mainnet-beta";
