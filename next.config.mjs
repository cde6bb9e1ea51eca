/** @type {import('next').NextConfig} */
export default {
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
};
