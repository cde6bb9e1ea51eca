import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import type { ReactNode } from "react";
import { readPageSettings, readProcessEnv } from "@/lib/env";
import "./globals.css";

/** For Latin text. Its fallback has the same widths. */
const inter = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-inter",
});

const TITLE = "Roundup: spare change into BTC on Solana";
const DESCRIPTION =
  "Round up every payment and turn the change into BTC, ETH, USDC or USDT. Your wallet is your identity.";

export const metadata: Metadata = {
  title: { default: TITLE, template: "%s · Roundup" },
  description: DESCRIPTION,
  manifest: "/manifest.webmanifest",
  icons: {
    icon: [
      { url: "/favicon.ico", sizes: "48x48" },
      { url: "/icons/icon.svg", type: "image/svg+xml" },
    ],
    apple: { url: "/icons/touch-180.png", sizes: "180x180" },
  },
  openGraph: { type: "website", siteName: "Roundup", title: TITLE, description: DESCRIPTION },
  twitter: { card: "summary_large_image" },
};

export const viewport: Viewport = { width: "device-width", initialScale: 1, colorScheme: "light dark" };

/** Runs before the first paint. The pages' Content-Security-Policy holds its hash. */
const THEME_SCRIPT = `{const t=/(?:^|; )theme=(light|dark)/.exec(document.cookie);if(t)document.documentElement.dataset.theme=t[1]}`;

/** Of the build. The server replaces them at startup (lib/http/pages/stored-files.ts). */
const { NETWORK, PUBLIC_URL } = readPageSettings(readProcessEnv());
const ORIGIN = PUBLIC_URL ? new URL(PUBLIC_URL).origin : "";

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html
      lang="en"
      className={inter.variable}
      data-network={NETWORK}
      data-origin={ORIGIN}
      // Next then jumps to the top of a new page. A smooth scroll would end below the header.
      data-scroll-behavior="smooth"
      suppressHydrationWarning
    >
      <body>
        <script dangerouslySetInnerHTML={{ __html: THEME_SCRIPT }} />
        <a
          href="#main"
          className="absolute left-3 top-3 z-50 -translate-y-24 rounded-lg bg-accent px-4 py-2 font-medium text-accent-ink focus:translate-y-0"
        >
          Skip to the content
        </a>
        {children}
        <SocialPicture />
      </body>
    </html>
  );
}

/** A social picture needs an absolute URL. The settings have the origin, because the caller controls `Host`. */
function SocialPicture() {
  return (
    <>
      <meta property="og:image" content={`${ORIGIN}/social.png`} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content="Roundup: spare change becomes bitcoin" />
    </>
  );
}
