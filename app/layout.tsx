import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import { cookies } from "next/headers";
import type { ReactNode } from "react";
import "./globals.css";

/** Latin only and preloaded, with a fallback of the same widths; other scripts use the system's font. */
const inter = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-inter",
});

export const metadata: Metadata = {
  title: { default: "Roundup: spare change into BTC on Solana", template: "%s · Roundup" },
  description: "Round up every purchase and turn the change into BTC, ETH, USDC or USDT. Your wallet is your identity.",
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
      </body>
    </html>
  );
}
