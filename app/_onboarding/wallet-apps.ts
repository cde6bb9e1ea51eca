/** A wallet that people install: its download page, and the link that opens a page in the browser inside its app. */
export interface WalletApp {
  name: string;
  installUrl: string;
  /** Prefix of a universal link, which the page's address follows. It works when tapped, not when typed. */
  browsePrefix: string;
}

export const WALLET_APPS: readonly WalletApp[] = [
  { name: "Phantom", installUrl: "https://phantom.com/download", browsePrefix: "https://phantom.app/ul/browse/" },
  { name: "Solflare", installUrl: "https://solflare.com/download", browsePrefix: "https://solflare.com/ul/v1/browse/" },
  { name: "Backpack", installUrl: "https://backpack.app/download", browsePrefix: "https://backpack.app/ul/v1/browse/" },
];

/**
 * Returns the link that opens `pageUrl` in the app's own browser. The app shows the page's origin to the person.
 * @param pageUrl an absolute https URL
 */
export function buildAppLink({ browsePrefix }: WalletApp, pageUrl: string): string {
  const { origin } = new URL(pageUrl);
  return `${browsePrefix}${encodeURIComponent(pageUrl)}?ref=${encodeURIComponent(origin)}`;
}

/**
 * Returns this page's address as a phone reaches it, or null when the deployment has none. A phone needs https: it can
 * reach neither `localhost` nor a wallet app over http.
 * @param publicOrigin the origin of the setting PUBLIC_URL, or ""
 * @param path the page's path and query
 */
export function toPublicPageUrl(publicOrigin: string, path: string): string | null {
  return publicOrigin.startsWith("https://") ? publicOrigin + path : null;
}

/** Returns whether the browser runs on a phone or tablet, where wallets are apps and not extensions. */
export function isPhone({ userAgent, maxTouchPoints }: Pick<Navigator, "userAgent" | "maxTouchPoints">): boolean {
  // An iPad names itself "Macintosh". No Mac has a touch screen.
  return /Android|iPhone|iPad|iPod/i.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}
