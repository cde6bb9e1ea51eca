import Link from "next/link";
import type { ReactNode } from "react";
import { ThemeSwitch } from "./theme-switch";

function Logo() {
  return (
    <span className="inline-flex items-center gap-2 text-lg font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7">
        <circle cx="16" cy="16" r="14" className="fill-accent" />
        <path
          d="M9.5 17.5a6.5 6.5 0 1 1 6.5 6.5"
          fill="none"
          stroke="var(--accent-ink)"
          strokeWidth="3.2"
          strokeLinecap="round"
        />
        <path d="M9.5 24v-6.5" stroke="var(--accent-ink)" strokeWidth="3.2" strokeLinecap="round" />
      </svg>
      Roundup
    </span>
  );
}

/** The head of every page: where I am, where I can go, and what the page adds on the right. */
export function SiteHeader({ nav, children }: { nav?: ReactNode; children?: ReactNode }) {
  return (
    <header className="border-b border-line bg-page">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-6 gap-y-1 px-4 py-2.5 sm:px-6">
        <Link href="/" className="inline-flex rounded-lg py-1" aria-label="Roundup, home">
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
