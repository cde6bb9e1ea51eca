import type { ReactNode } from "react";

type Tone = "plain" | "good" | "warn" | "bad";

interface CardProps {
  title?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
  className?: string;
}

export function Card({ title, action, children, className = "" }: CardProps) {
  return (
    <section className={`min-w-0 rounded-2xl border border-line bg-card p-4 sm:p-6 ${className}`}>
      {(title || action) && (
        <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 sm:mb-4">
          {title && <h2 className="text-lg font-semibold">{title}</h2>}
          {action}
        </div>
      )}
      {children}
    </section>
  );
}

interface AmountRowProps {
  label: ReactNode;
  hint?: ReactNode;
  children: ReactNode;
  /** True for the total of the parts above. */
  isTotal?: boolean;
  /** True when the total includes this amount. Tests of sums read `data-sum`. */
  isPart?: boolean;
  isIndented?: boolean;
  /** True for a row on its own background, unless it is a total. */
  isSeparate?: boolean;
  testId?: string;
}

export function AmountRow({ label, hint, children, isTotal, isPart, isIndented, isSeparate, testId }: AmountRowProps) {
  const classes = isTotal
    ? "border-t border-line py-2 pt-3 font-semibold"
    : isSeparate
      ? "rounded-xl bg-raised px-3 py-2"
      : isIndented
        ? "py-1.5 pl-5"
        : "py-2";
  return (
    <div
      data-testid={testId}
      data-sum={isTotal ? "total" : isPart ? "part" : undefined}
      className={`flex items-baseline justify-between gap-4 ${classes}`}
    >
      <dt>
        {label}
        {hint && <span className="block text-sm font-normal text-soft">{hint}</span>}
      </dt>
      <dd className="shrink-0 text-right tabular-nums">{children}</dd>
    </div>
  );
}

/** The word alone must tell the status: not everybody sees the colour. */
export function Badge({ tone = "plain", children }: { tone?: Tone; children: ReactNode }) {
  const toneClasses = {
    plain: "bg-raised text-soft",
    good: "bg-accent-wash text-accent",
    warn: "bg-warn-wash text-warn",
    bad: "bg-bad-wash text-bad",
  };
  return (
    <span className={`inline-flex items-center rounded-full px-2.5 py-0.5 text-sm font-medium ${toneClasses[tone]}`}>
      {children}
    </span>
  );
}

interface NoticeProps {
  tone?: Tone;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  role?: "alert" | "status";
  className?: string;
  testId?: string;
}

export function Notice({ tone = "plain", title, children, action, role, className = "", testId }: NoticeProps) {
  const toneClasses = {
    plain: "border-line bg-raised",
    good: "border-accent/40 bg-accent-wash",
    warn: "border-warn/40 bg-warn-wash",
    bad: "border-bad/40 bg-bad-wash",
  };
  return (
    <div role={role} data-testid={testId} className={`rounded-xl border p-4 ${toneClasses[tone]} ${className}`}>
      {title && <p className="font-semibold">{title}</p>}
      {children && <div className="text-[0.95rem]">{children}</div>}
      {action && <div className="mt-3 flex flex-wrap gap-2">{action}</div>}
    </div>
  );
}
