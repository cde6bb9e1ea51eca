import type { Metadata } from "next";

export const metadata: Metadata = { title: "Activity" };
export { Activity as default } from "./_components/activity";
