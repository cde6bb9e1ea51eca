import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import { cookies, headers } from "next/headers";
import type { ReactNode } from "react";
import "./globals.css";

/** Latin only and preloaded, with a fallback of the same widths; other scripts use the system's font. */
const inter = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-inter",
});

const TITLE = "Roundup: spare change into BTC on Solana";
const DESCRIPTION =
  "Round up every purchase and turn the change into BTC, ETH, USDC or USDT. Your wallet is your identity.";

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

/** The switch writes a cookie, so the first paint already has the right colours without any inline script. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = (await cookies()).get("theme")?.value;
  return (
    <html lang="en" className={inter.variable} data-theme={theme === "light" || theme === "dark" ? theme : undefined}>
      <body>
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

/** A picture in a shared link needs a whole address, and only the request says what this server is called outside. */
async function SocialPicture() {
  const sent = await headers();
  const protocol = sent.get("x-forwarded-proto")?.split(",")[0] ?? "http";
  const address = `${protocol}://${sent.get("host")}/social.png`;
  if (!URL.canParse(address)) return null;
  return (
    <>
      <meta property="og:image" content={address} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content="Roundup: spare change becomes bitcoin" />
    </>
  );
}
