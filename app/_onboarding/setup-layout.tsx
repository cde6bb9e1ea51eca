import type { ReactNode } from "react";
import { DashboardPicture } from "@/app/_components/dashboard-picture";

/** A wide screen shows what the set-up leads to. */
export function SetupLayout({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto grid max-w-2xl gap-10 lg:max-w-none lg:grid-cols-[3fr_2fr] lg:gap-16">
      <div className="min-w-0">{children}</div>
      <div aria-hidden="true" className="max-h-140 overflow-hidden max-lg:hidden">
        <DashboardPicture />
      </div>
    </div>
  );
}
