"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { type ButtonHTMLAttributes, type MouseEvent, type ReactNode, useContext } from "react";
import { type ButtonVariant, getButtonClasses } from "./button-classes";
import { CloseSheetContext } from "./close-on-back";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: ButtonVariant;
  /** Shows a spinner before the text, and ignores clicks. */
  isBusy?: boolean;
}

/** It does not submit a form unless its `type` is "submit". */
export function Button({ variant, isBusy = false, className, children, onClick, ...buttonProps }: ButtonProps) {
  return (
    <button
      type="button"
      {...buttonProps}
      // Not `disabled`: a disabled button loses the focus, and the sheet that it opens could not return it.
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
      className={getButtonClasses(variant, className)}
    >
      {isBusy && <Spinner />}
      {children}
    </button>
  );
}

export const SecondaryButton = (props: Omit<ButtonProps, "variant">) => <Button variant="secondary" {...props} />;
export const QuietButton = (props: Omit<ButtonProps, "variant">) => <Button variant="quiet" {...props} />;

interface ButtonLinkProps {
  href: string;
  variant?: ButtonVariant;
  className?: string;
  children: ReactNode;
}

/** Inside a sheet, the link also closes the sheet. */
export function ButtonLink({ href, variant, className, children }: ButtonLinkProps) {
  const closeSheet = useContext(CloseSheetContext);
  const isCurrentPage = usePathname() === href.split("#")[0];
  const closeSheetInPlace = (event: MouseEvent) => {
    event.preventDefault();
    closeSheet?.();
  };
  return (
    <Link
      href={href}
      replace={closeSheet !== null}
      // A link to the page below the sheet would navigate nowhere, so it only closes the sheet.
      onClick={closeSheet && isCurrentPage ? closeSheetInPlace : undefined}
      className={getButtonClasses(variant, className)}
    >
      {children}
    </Link>
  );
}

/** Screen readers do not see it, so the text beside it must say what is under way. */
export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-4 shrink-0 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}
