/** Screen readers announce the status text beside it instead. */
export function Skeleton({ className }: { className: string }) {
  // With two radius classes, the stylesheet's order would decide which one applies.
  const radius = className.includes("rounded") ? "" : "rounded-md";
  return <span aria-hidden="true" className={`block animate-pulse bg-raised ${radius} ${className}`} />;
}

export function SkeletonLines({ lines, label = "Loading" }: { lines: number; label?: string }) {
  return (
    <div role="status" className="space-y-3">
      <span className="sr-only">{label}</span>
      {Array.from({ length: lines }, (_, i) => (
        <Skeleton key={i} className={`h-5 ${i % 3 === 2 ? "w-2/3" : "w-full"}`} />
      ))}
    </div>
  );
}
