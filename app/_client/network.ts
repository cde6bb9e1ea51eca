/**
 * Returns whether this deployment uses play money. The page itself says so, so no call is needed. Works in the browser
 * only.
 */
export const isSandbox = (): boolean => document.documentElement.dataset.network === "sandbox";
