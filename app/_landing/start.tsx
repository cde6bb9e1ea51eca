import { Badge } from "../_components/card";
import { WayIn } from "./way-in";

/**
 * Links into the dashboard. The page contains those of both networks; `data-network` on the root shows the right ones.
 */
export function LandingStart() {
  return (
    <>
      <div className="mt-7 flex flex-wrap items-center gap-3 only-sandbox">
        <WayIn href="/dashboard?play" label="Try it with play money" />
        <WayIn href="/dashboard" label="Use my own wallet" look="secondary" />
      </div>
      <p className="mt-4 flex min-h-7 flex-wrap items-center gap-2 text-sm text-soft only-sandbox">
        <Badge tone="warn">Sandbox</Badge>
        Play money. Nothing to install.
      </p>
      <div className="mt-7 flex flex-wrap items-center gap-3 only-mainnet">
        <WayIn href="/dashboard" label="Start saving" />
      </div>
    </>
  );
}
