import { shortenAddress } from "@/lib/solana/short-address";

/** The full text is there on hover and for screen readers. */
export function ShortAddress({ text }: { text: string }) {
  return (
    <span className="font-mono text-[0.9em]" title={text}>
      <span aria-hidden="true">{shortenAddress(text)}</span>
      <span className="sr-only">{text}</span>
    </span>
  );
}
