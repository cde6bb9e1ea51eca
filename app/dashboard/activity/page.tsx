import type { Metadata } from "next";
import { Activity } from "./_components/activity";

export const metadata: Metadata = { title: "Activity" };

export default function ActivityPage() {
  return <Activity />;
}
