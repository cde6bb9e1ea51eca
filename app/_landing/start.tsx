import { ButtonLink } from "../_components/button";
import { Badge } from "../_components/card";

/**
 * Links into the dashboard. The page contains those of both networks; `data-network` on the root shows the right ones.
 */
export function LandingStart() {
  return (
    <>
      <div className="mt-7 flex flex-wrap items-center gap-3 only-sandbox">
        <DashboardLink href="/dashboard?play" label="Try it with play money" />
        <DashboardLink href="/dashboard" label="Use my own wallet" variant="secondary" />
      </div>
      <p className="mt-4 flex min-h-7 flex-wrap items-center gap-2 text-sm text-soft only-sandbox">
        <Badge tone="warn">Sandbox</Badge>
        Play money. Nothing to install.
      </p>
      <div className="mt-7 flex flex-wrap items-center gap-3 only-mainnet">
        <DashboardLink href="/dashboard" label="Start saving" />
      </div>
    </>
  );
}

interface Props {
  href: string;
  variant?: "secondary";
  label: string;
}

/** A large link to the dashboard. Does not prefetch the dashboard's code. */
const DashboardLink = ({ label, ...rest }: Props) => (
  <ButtonLink {...rest} prefetch={false} className="min-h-12 px-6 text-lg max-sm:w-full">
    {label}
  </ButtonLink>
);
