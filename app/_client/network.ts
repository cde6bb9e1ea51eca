/** Returns whether this deployment uses play money. The page's HTML names the network. Works in the browser only. */
export const isSandbox = (): boolean => document.documentElement.dataset.network === "sandbox";
