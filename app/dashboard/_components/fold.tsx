import type { ReactNode } from "react";
import { Chevron } from "@/app/_components/chevron";

/** What is there for whoever wants to know more. */
export function Fold({
  title,
  children,
  className = "",
}: {
  title: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <details className={`group border-t border-line ${className}`}>
      <summary className="-mb-2 flex min-h-12 list-none items-center justify-between gap-3 font-medium [&::-webkit-details-marker]:hidden">
        {title}
        <Chevron className="text-soft group-open:rotate-180" />
      </summary>
      {children}
    </details>
  );
}
