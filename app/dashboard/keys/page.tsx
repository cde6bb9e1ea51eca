import type { Metadata } from "next";

export const metadata: Metadata = { title: "API keys" };
export { Keys as default } from "./_components/keys";
