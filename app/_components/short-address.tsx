import { shortenAddress } from "@/lib/solana/short-address";

/** Shortens an address or signature in the middle. The full text is available on hover and to screen readers. */
export function ShortAddress({ text }: { text: string }) {
  return (
    <span className="font-mono text-[0.9em]" title={text}>
      <span aria-hidden="true">{shortenAddress(text)}</span>
      <span className="sr-only">{text}</span>
    </span>
  );
}
