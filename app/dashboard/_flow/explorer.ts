import type { NamedNetwork } from "@/lib/domain/texts";

/** Where a transaction can be looked at: no explorer sees the sandbox, so that has a page of its own. */
export const explorerLink = (network: NamedNetwork, txSignature: string): string =>
  network === "sandbox" ? `/tx/${txSignature}` : `https://explorer.solana.com/tx/${txSignature}`;
