import type { Metadata } from "next";
import { Overview } from "./_overview/overview";

export const metadata: Metadata = { title: "Home" };

export default function OverviewPage() {
  return <Overview />;
}
