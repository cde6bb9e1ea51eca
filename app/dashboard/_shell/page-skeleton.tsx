import { Skeleton } from "@/app/_components/skeleton";

export function PageSkeleton() {
  return (
    <div role="status">
      <p className="appears-late mb-3 text-soft">Loading the wallet connection and your savings…</p>
      <Skeleton className="h-9 w-44" />
      <Skeleton className="mt-6 h-28 w-full rounded-2xl" />
      <div className="mt-4 grid gap-4 md:grid-cols-2">
        <Skeleton className="h-44 w-full rounded-2xl" />
        <Skeleton className="h-44 w-full rounded-2xl" />
      </div>
    </div>
  );
}
