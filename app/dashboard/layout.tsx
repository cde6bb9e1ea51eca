import type { Metadata } from "next";
import type { ReactNode } from "react";
import { CrashBoundary } from "@/app/_components/crash-boundary";
import { AutoInvestSlot } from "./_overview/next-step/auto-invest-slot";
import { DashboardShell } from "./_shell/dashboard-shell";

export const metadata: Metadata = { title: { default: "Dashboard", template: "%s · Roundup" } };

export default function DashboardLayout({ children }: { children: ReactNode }) {
  return (
    <DashboardShell>
      <CrashBoundary>
        <AutoInvestSlot />
      </CrashBoundary>
      {children}
    </DashboardShell>
  );
}
