/** Nothing is loaded from other hosts. */
export function WalletIcon({ src, className }: { src?: string; className: string }) {
  if (!src?.startsWith("data:image/")) {
    return <span aria-hidden="true" className={`inline-block shrink-0 rounded-lg bg-raised ${className}`} />;
  }
  return <img src={src} alt="" className={`shrink-0 rounded-lg ${className}`} />;
}
