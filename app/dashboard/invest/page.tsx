import type { Metadata } from "next";

export const metadata: Metadata = { title: "Invest" };
export { Invest as default } from "./_components/invest";
