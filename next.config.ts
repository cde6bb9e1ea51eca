import type { NextConfig } from "next";
import { PHASE_DEVELOPMENT_SERVER } from "next/constants";
import { contentSecurityPolicy, PAGE_HEADERS } from "./lib/http/pages/policy";

/** Reloading evaluates code and adds inline scripts; styles of the development overlay are inline too. */
const DEVELOPMENT_POLICY = contentSecurityPolicy(["'unsafe-inline'", "'unsafe-eval'"]).replace(
  "style-src 'self'",
  "style-src 'self' 'unsafe-inline'",
);

/** Where Next serves the pages itself. `npm run build` replaces this policy by one with the hashes of each page. */
const pageHeaders = (phase: string) =>
  Object.entries({
    ...PAGE_HEADERS,
    "content-security-policy": phase === PHASE_DEVELOPMENT_SERVER ? DEVELOPMENT_POLICY : contentSecurityPolicy([]),
  }).map(([key, value]) => ({ key, value }));

export default (phase: string): NextConfig => ({
  // Worker-loading packages that a bundler must leave alone.
  serverExternalPackages: ["pino", "@solana/web3.js"],
  // The front proxy compresses; doing it here costs up to a third of the throughput.
  compress: false,
  poweredByHeader: false,
  // No picture here needs it, and its route would fetch any path of this very server, past the limit.
  images: { unoptimized: true },
  // `npm test` checks the types of everything; a start on a fresh machine need not wait for it.
  typescript: { ignoreBuildErrors: true },
  // Never usable under our Content-Security-Policy, and 51 kB of every page with a wallet: see the file.
  turbopack: {
    resolveAlias: { "@solana-mobile/wallet-adapter-mobile": "./app/_client/wallet/no-mobile-wallet-adapter.ts" },
  },
  // The API answers a trailing slash like server.ts does.
  skipTrailingSlashRedirect: true,
  headers: async () => [{ source: "/((?!api(?:/|$)).*)", headers: pageHeaders(phase) }],
  // One page shows any transaction; it reads the signature from the address.
  rewrites: async () => [{ source: "/tx/:signature", destination: "/tx" }],
});
