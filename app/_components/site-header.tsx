import Link from "next/link";
import type { ReactNode } from "react";
import { Logo } from "./logo";
import { ThemeSwitch } from "./theme-switch";

/** Draws the header of a page: navigation on the left, and the page's own content on the right. */
export function SiteHeader({ nav, children }: { nav?: ReactNode; children?: ReactNode }) {
  return (
    <header className="border-b border-line bg-page">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-6 gap-y-1 px-4 py-2.5 sm:px-6">
        <Link href="/" prefetch={false} className="inline-flex rounded-lg py-1" aria-label="Roundup, home">
          <Logo />
        </Link>
        {nav}
        <div className="ml-auto flex items-center gap-1 sm:gap-2">
          {children}
          <ThemeSwitch />
        </div>
      </div>
    </header>
  );
}
