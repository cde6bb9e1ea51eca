import type { ReactNode } from "react";

/** Keeps a sheet's actions in view while its content scrolls. It must be the last element of the content. */
export function SheetFoot({ children }: { children: ReactNode }) {
  return (
    <div className="sticky -bottom-5 -mx-5 mt-5 -mb-5 border-t border-line bg-card px-5 py-4 sm:-bottom-7 sm:-mx-7 sm:-mb-7 sm:px-7">
      {children}
    </div>
  );
}
