import type { Metadata } from "next";

export const metadata: Metadata = { title: "Save" };
export { RoundUpPage as default } from "./_components/round-up-page";
