import type { ReactNode } from "react";
import { Chevron } from "./chevron";

interface Props {
  title: ReactNode;
  hint?: ReactNode;
  children: ReactNode;
  className?: string;
  onToggle?: (isOpen: boolean) => void;
  /** Opens the fold, which the person can still close. */
  isOpen?: boolean;
}

export function Fold({ title, hint, children, className = "", onToggle, isOpen }: Props) {
  return (
    <details
      open={isOpen}
      className={`group border-t border-line ${className}`}
      onToggle={onToggle && ((event) => onToggle(event.currentTarget.open))}
    >
      <summary className="-mb-2 flex min-h-12 list-none items-center justify-between gap-3 font-medium [&::-webkit-details-marker]:hidden">
        {hint ? (
          <span>
            <span className="block">{title}</span>
            <span className="block text-sm font-normal text-soft">{hint}</span>
          </span>
        ) : (
          title
        )}
        <Chevron className="group-open:rotate-180" />
      </summary>
      {children}
    </details>
  );
}
