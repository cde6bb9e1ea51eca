import type { Metadata } from "next";

export const metadata: Metadata = { title: "Home" };
export { Overview as default } from "./_overview/overview";
