"use client";

import { type InputHTMLAttributes, type ReactNode, useEffect, useId, useRef } from "react";
import { Chevron } from "./chevron";

/** Ligatures are off, because Inter shows the "4x9" of an address as "4×9". */
const CONTROL_CLASSES =
  "[font-variant-ligatures:none] w-full min-h-11 rounded-xl border bg-card px-3.5 py-2 text-ink placeholder:text-soft/80 disabled:opacity-60";

interface FieldLabels {
  label: ReactNode;
  hint?: ReactNode;
  /** Replaces the hint. Screen readers announce it, and the control is marked as invalid. */
  error?: string | null;
}

interface FieldProps extends FieldLabels, Omit<InputHTMLAttributes<HTMLInputElement>, "prefix" | "onChange"> {
  prefix?: string;
  suffix?: string;
  onChange: (text: string) => void;
}

export function Field({ label, hint, error, prefix, suffix, className = "", onChange, ...inputProps }: FieldProps) {
  return (
    <LabelledControl label={label} hint={hint} error={error} className={className}>
      {(control) => (
        <>
          {prefix && <Unit positionClass="left-3.5">{prefix}</Unit>}
          <input
            autoComplete="off"
            aria-invalid={error ? true : undefined}
            {...inputProps}
            {...control}
            onChange={(event) => onChange(event.target.value)}
            className={`${control.className} tabular-nums ${prefix ? "pl-8" : ""} ${suffix ? "pr-14" : ""}`}
          />
          {suffix && <Unit positionClass="right-3.5">{suffix}</Unit>}
        </>
      )}
    </LabelledControl>
  );
}

export const DollarField = (props: FieldProps) => <Field prefix="$" inputMode="decimal" {...props} />;

interface SelectFieldProps<T extends string> extends FieldLabels {
  options: readonly (readonly [value: T, label: string])[];
  value: T;
  onChange: (value: T) => void;
}

export function SelectField<T extends string>({ options, value, onChange, ...labels }: SelectFieldProps<T>) {
  return (
    <LabelledControl {...labels}>
      {(control) => (
        <>
          <select
            {...control}
            value={value}
            onChange={(event) => onChange(event.target.value as T)}
            className={`${control.className} appearance-none pr-10`}
          >
            {options.map(([option, text]) => (
              <option key={option} value={option}>
                {text}
              </option>
            ))}
          </select>
          <Chevron className="pointer-events-none absolute inset-y-0 right-3 my-auto" />
        </>
      )}
    </LabelledControl>
  );
}

interface LabelledControlProps extends FieldLabels {
  className?: string;
  /** Receives the attributes that connect the control to its label, hint and error. */
  children: (control: { id: string; "aria-describedby": string | undefined; className: string }) => ReactNode;
}

export function LabelledControl({ label, hint, error, className, children }: LabelledControlProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const noteRef = useRef<HTMLDivElement>(null);
  const previousErrorRef = useRef(error);
  useEffect(() => {
    // On a phone, the tab bar could cover a new error. An error that is there from the start must not move the page.
    if (error && error !== previousErrorRef.current) noteRef.current?.scrollIntoView({ block: "nearest" });
    previousErrorRef.current = error;
  }, [error]);
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <div className="relative">
        {children({
          id,
          "aria-describedby": error || hint ? noteId : undefined,
          className: `${CONTROL_CLASSES} ${error ? "border-bad" : "border-line-strong"}`,
        })}
      </div>
      <div ref={noteRef} id={noteId} aria-live="polite" className="text-sm">
        {error ? <p className="mt-1.5 text-bad">{error}</p> : hint ? <p className="mt-1.5 text-soft">{hint}</p> : null}
      </div>
    </div>
  );
}

function Unit({ positionClass, children }: { positionClass: string; children: ReactNode }) {
  return (
    <span className={`pointer-events-none absolute inset-y-0 flex items-center text-soft ${positionClass}`}>
      {children}
    </span>
  );
}
