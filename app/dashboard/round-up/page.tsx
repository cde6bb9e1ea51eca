import type { Metadata } from "next";
import { RoundUpPage } from "./_components/round-up-page";

export const metadata: Metadata = { title: "Save" };

export default function Page() {
  return <RoundUpPage />;
}
