import type { ReactNode } from "react";
import { Logo } from "./logo";
import type { SoftLink } from "./soft-link";
import { ThemeSwitch } from "./theme-switch";

/** The landing page uses "a", because the router's links would add 3 kB to it. */
export type LinkElement = "a" | typeof SoftLink;

export const HEADER_LINK_CLASSES =
  "inline-flex min-h-11 items-center rounded-lg px-3 text-soft hover:bg-raised hover:text-ink";

interface Props {
  HomeLink: LinkElement;
  nav?: ReactNode;
  children?: ReactNode;
}

export function SiteHeader({ HomeLink, nav, children }: Props) {
  return (
    <header className="border-b border-line bg-page">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-6 gap-y-1 px-4 py-2.5 sm:px-6">
        <HomeLink href="/" className="inline-flex rounded-lg py-1" aria-label="Roundup, home">
          <Logo />
        </HomeLink>
        {nav}
        <div className="ml-auto flex items-center gap-1 sm:gap-2">
          {children}
          <ThemeSwitch />
        </div>
      </div>
    </header>
  );
}
