// @ts-check
import { PHASE_DEVELOPMENT_SERVER } from "next/constants.js";
import { buildContentSecurityPolicy, PAGE_HEADERS } from "./lib/http/pages/security-headers.mjs";

/** Reloading evaluates code and adds inline scripts. The development overlay uses inline styles. */
const DEVELOPMENT_POLICY = buildContentSecurityPolicy(["'unsafe-inline'", "'unsafe-eval'"]).replace(
  "style-src 'self'",
  "style-src 'self' 'unsafe-inline'",
);

/**
 * Headers for pages that Next serves itself. `npm run build` replaces this policy by one with each page's hashes.
 * @param {string} phase
 */
const listPageHeaders = (phase) =>
  Object.entries({
    ...PAGE_HEADERS,
    "content-security-policy": phase === PHASE_DEVELOPMENT_SERVER ? DEVELOPMENT_POLICY : buildContentSecurityPolicy([]),
  }).map(([key, value]) => ({ key, value }));

/** @type {(phase: string) => import("next").NextConfig} */
export default (phase) => ({
  // These packages load workers, which bundling would break.
  serverExternalPackages: ["pino", "@solana/web3.js"],
  // The front proxy compresses. Compressing here costs up to a third of the throughput.
  compress: false,
  poweredByHeader: false,
  // No image needs optimization, and its route would fetch any path of this server without a rate limit.
  images: { unoptimized: true },
  // `npm test` checks all types. A start on a new machine does not need to wait for it.
  typescript: { ignoreBuildErrors: true },
  turbopack: {
    resolveAlias: {
      // Our Content-Security-Policy blocks this module, and it adds 51 kB to every page with a wallet.
      "@solana-mobile/wallet-adapter-mobile": "./app/_client/wallet/no-mobile-wallet-adapter.ts",
      "@solana/wallet-standard-wallet-adapter-react": "./app/_client/wallet/standard-wallets.ts",
      "jayson/lib/client/browser": { browser: "./app/_client/wallet/no-rpc-client.ts" },
      // This build of tweetnacl is 4 kB smaller after gzip. A signature takes a few ms longer, and a page makes few.
      tweetnacl: { browser: "tweetnacl/nacl.js" },
    },
  },
  // The API answers a trailing slash the same way as server.ts.
  skipTrailingSlashRedirect: true,
  headers: async () => [{ source: "/((?!api(?:/|$)).*)", headers: listPageHeaders(phase) }],
  rewrites: async () => [
    // One page shows any transaction. It reads the signature from the URL.
    { source: "/tx/:signature", destination: "/tx" },
    { source: "/docs/:guide.md", destination: "/docs/:guide/markdown" },
  ],
});
