"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { type ButtonHTMLAttributes, type MouseEvent, type ReactNode, useContext } from "react";
import { SheetContext } from "./back-closes";

type Variant = "primary" | "secondary" | "quiet" | "danger";

const VARIANT_CLASSES: Record<Variant, string> = {
  primary: "bg-accent text-accent-ink hover:brightness-110",
  secondary: "border border-line-strong bg-card text-ink hover:bg-raised",
  quiet: "text-accent hover:bg-accent-wash",
  danger: "border border-bad text-bad hover:bg-bad-wash",
};
const SHAPE_CLASSES =
  "inline-flex min-h-11 items-center justify-center gap-2 rounded-xl px-4 py-2 text-center font-medium transition-[filter,background-color] disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: Variant;
  /** Shows a spinner, keeps the width, and ignores clicks. */
  busy?: boolean;
}

/** Draws a button. It does not submit a form unless its `type` is "submit". */
export function Button({ variant = "primary", busy = false, className = "", children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      // Not `disabled`: a disabled button loses the focus, and the sheet that it opens could not return it.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={`${SHAPE_CLASSES} ${VARIANT_CLASSES[variant]} ${className}`}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

interface ButtonLinkProps {
  href: string;
  variant?: Variant;
  className?: string;
  /** False: the browser loads the linked page's code only on a click. */
  prefetch?: false;
  children: ReactNode;
}

/** Draws a link that looks like a button. Inside a sheet, the link also closes the sheet. */
export function ButtonLink({ href, variant = "primary", className = "", prefetch, children }: ButtonLinkProps) {
  const closeSheet = useContext(SheetContext);
  const isHere = usePathname() === href;
  const close = (event: MouseEvent) => {
    event.preventDefault();
    closeSheet?.();
  };
  return (
    <Link
      href={href}
      prefetch={prefetch}
      replace={closeSheet !== null}
      // A link to the page below the sheet would navigate nowhere, so it only closes the sheet.
      onClick={closeSheet && isHere ? close : undefined}
      className={`${SHAPE_CLASSES} ${VARIANT_CLASSES[variant]} ${className}`}
    >
      {children}
    </Link>
  );
}

/** Draws a turning ring. The text beside it says what is under way. */
export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-4 shrink-0 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}
