import type { Metadata } from "next";
import { Keys } from "./_components/keys";

export const metadata: Metadata = { title: "API keys" };

export default function KeysPage() {
  return <Keys />;
}
