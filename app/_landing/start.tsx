import { Badge } from "../_components/card";
import { WayIn } from "./way-in";

/** The ways in: play money first, where there is some, and that nothing costs real money there. */
export function LandingStart({ sandbox }: { sandbox: boolean }) {
  return (
    <>
      <div className="mt-7 flex flex-wrap items-center gap-3">
        {sandbox && <WayIn href="/dashboard?play" label="Try it with play money" />}
        {sandbox ? (
          <WayIn href="/dashboard" label="Use my own wallet" look="secondary" />
        ) : (
          <WayIn href="/dashboard" label="Start saving" />
        )}
      </div>
      {sandbox && (
        <p className="mt-4 flex min-h-7 flex-wrap items-center gap-2 text-sm text-soft">
          <Badge tone="warn">Sandbox</Badge>
          Nothing to install, nothing to lose.
        </p>
      )}
    </>
  );
}
