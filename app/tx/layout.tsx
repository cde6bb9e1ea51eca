import type { Metadata } from "next";
import type { ReactNode } from "react";
import { DashboardShell } from "@/app/dashboard/_shell/dashboard-shell";

export const metadata: Metadata = { title: "Transaction" };

export default function TransactionLayout({ children }: { children: ReactNode }) {
  return <DashboardShell>{children}</DashboardShell>;
}
