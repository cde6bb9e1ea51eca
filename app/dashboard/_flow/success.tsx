import type { ReactNode } from "react";
import { CheckMark } from "@/app/_components/check-mark";

interface Props {
  /** The amount, dollars first. */
  amount: ReactNode;
  /** The amount in coins, and which wallet holds it now. */
  children: ReactNode;
}

/** Shows a landed amount with a ring that closes around a tick. With reduced motion, the ring is closed at once. */
export function Success({ amount, children }: Props) {
  return (
    <div className="text-center" data-testid="success">
      <span aria-hidden="true" className="relative mx-auto grid size-24 place-items-center text-accent">
        <svg viewBox="0 0 100 100" aria-hidden="true" className="absolute inset-0 -rotate-90 fill-none stroke-[6]">
          <circle cx="50" cy="50" r="44" className="stroke-accent-wash" />
          <circle cx="50" cy="50" r="44" pathLength={1} strokeLinecap="round" className="ring-closes stroke-accent" />
        </svg>
        <span className="ring-tick scale-200">
          <CheckMark />
        </span>
      </span>
      <p className="mt-4 text-4xl font-semibold tracking-tight tabular-nums">{amount}</p>
      <div className="mx-auto mt-1 max-w-sm text-balance text-soft">{children}</div>
    </div>
  );
}
