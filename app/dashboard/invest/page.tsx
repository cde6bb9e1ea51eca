import type { Metadata } from "next";
import { Invest } from "./_components/invest";

export const metadata: Metadata = { title: "Invest" };

export default function InvestPage() {
  return <Invest />;
}
