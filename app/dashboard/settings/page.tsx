import type { Metadata } from "next";

export const metadata: Metadata = { title: "Settings" };
export { Settings as default } from "./_components/settings";
