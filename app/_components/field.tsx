"use client";

import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, useId } from "react";

const CONTROL =
  "w-full min-h-11 rounded-xl border bg-card px-3.5 py-2 text-ink placeholder:text-soft/80 disabled:opacity-60";

interface Common {
  label: ReactNode;
  hint?: ReactNode;
  /** Shown instead of the hint, announced, and marked on the control. */
  error?: string | null;
}

interface FieldProps extends Common, Omit<InputHTMLAttributes<HTMLInputElement>, "prefix"> {
  prefix?: string;
  suffix?: string;
}

/** A labelled text input with its hint, its error, and a unit before or after. */
export function Field({ label, hint, error, prefix, suffix, className = "", ...input }: FieldProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <div className="relative">
        {prefix && <Unit side="left-3.5">{prefix}</Unit>}
        <input
          {...input}
          id={id}
          aria-invalid={error ? true : undefined}
          aria-describedby={error || hint ? `${id}-note` : undefined}
          className={`${CONTROL} tabular-nums ${error ? "border-bad" : "border-line-strong"} ${prefix ? "pl-8" : ""} ${suffix ? "pr-14" : ""}`}
        />
        {suffix && <Unit side="right-3.5">{suffix}</Unit>}
      </div>
      <Note id={`${id}-note`} hint={hint} error={error} />
    </div>
  );
}

export function SelectField({
  label,
  hint,
  error,
  children,
  className = "",
  ...select
}: Common & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <div className="relative">
        <select
          {...select}
          id={id}
          aria-describedby={error || hint ? `${id}-note` : undefined}
          className={`${CONTROL} appearance-none pr-10 ${error ? "border-bad" : "border-line-strong"}`}
        >
          {children}
        </select>
        <svg
          viewBox="0 0 24 24"
          aria-hidden="true"
          className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 fill-none stroke-current stroke-2 text-soft"
          strokeLinecap="round"
          strokeLinejoin="round"
        >
          <path d="m6 9 6 6 6-6" />
        </svg>
      </div>
      <Note id={`${id}-note`} hint={hint} error={error} />
    </div>
  );
}

function Unit({ side, children }: { side: string; children: ReactNode }) {
  return (
    <span className={`pointer-events-none absolute inset-y-0 flex items-center text-soft ${side}`}>{children}</span>
  );
}

function Note({ id, hint, error }: { id: string; hint?: ReactNode; error?: string | null }) {
  return (
    <div id={id} aria-live="polite" className="text-sm">
      {error ? <p className="mt-1.5 text-bad">{error}</p> : hint ? <p className="mt-1.5 text-soft">{hint}</p> : null}
    </div>
  );
}
