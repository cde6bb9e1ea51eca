import type { Metadata } from "next";

export const metadata: Metadata = { title: "Withdraw" };
export { Withdraw as default } from "./_components/withdraw";
