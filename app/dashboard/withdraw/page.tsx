import type { Metadata } from "next";
import { Withdraw } from "./_components/withdraw";

export const metadata: Metadata = { title: "Withdraw" };

export default function WithdrawPage() {
  return <Withdraw />;
}
