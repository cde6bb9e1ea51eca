/**
 * Returns whether this deployment uses play money. The page's HTML names the network, so no call is needed. Works in
 * the browser only.
 */
export const isSandbox = (): boolean => document.documentElement.dataset.network === "sandbox";
