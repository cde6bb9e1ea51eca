import Link from "next/link";

/** Says how an allowance ends while the service fails. */
export const StopElsewhere = () => (
  <p className="mt-3 text-sm text-soft">
    An allowance can also be{" "}
    <Link href="/docs/service-wallet#allowance" prefetch={false} className="text-accent underline">
      stopped without this service
    </Link>
    .
  </p>
);
