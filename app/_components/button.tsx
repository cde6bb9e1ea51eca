"use client";

import Link from "next/link";
import { type ButtonHTMLAttributes, type ReactNode, useContext } from "react";
import { InSheet } from "./back-closes";

type Look = "primary" | "secondary" | "quiet" | "danger";

const LOOKS: Record<Look, string> = {
  primary: "bg-accent text-accent-ink hover:brightness-110",
  secondary: "border border-line-strong bg-card text-ink hover:bg-raised",
  quiet: "text-accent hover:bg-accent-wash",
  danger: "border border-bad text-bad hover:bg-bad-wash",
};
const SHAPE =
  "inline-flex min-h-11 items-center justify-center gap-2 rounded-xl px-4 py-2 text-center font-medium transition-[filter,background-color] disabled:cursor-not-allowed disabled:opacity-55";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  /** Shows a spinner, keeps the width, and ignores clicks. */
  busy?: boolean;
}

export function Button({ look = "primary", busy = false, className = "", children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={`${SHAPE} ${LOOKS[look]} ${className}`}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

export function ButtonLink({
  href,
  look = "primary",
  className = "",
  prefetch,
  children,
}: {
  href: string;
  look?: Look;
  className?: string;
  /** False prevents prefetching the linked page's code. */
  prefetch?: false;
  children: ReactNode;
}) {
  return (
    <Link
      href={href}
      prefetch={prefetch}
      replace={useContext(InSheet)}
      className={`${SHAPE} ${LOOKS[look]} ${className}`}
    >
      {children}
    </Link>
  );
}

export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-4 shrink-0 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}
