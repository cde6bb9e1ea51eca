/** The store key of the network that a store belongs to. The first start of a service on the store writes it. */
export const STORE_NETWORK_KEY = "network";
