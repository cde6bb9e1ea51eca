/** Works in the browser only: the page's HTML names the network. */
export const isSandbox = (): boolean => document.documentElement.dataset.network === "sandbox";
