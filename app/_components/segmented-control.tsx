"use client";

import { useId } from "react";

interface Props<T extends string> {
  label: string;
  options: readonly (readonly [value: T, label: string])[];
  value: T | null;
  onChange: (value: T) => void;
}

/** Radio buttons, so that arrow keys and screen readers work. */
export function SegmentedControl<T extends string>({ label, options, value, onChange }: Props<T>) {
  const groupName = useId();
  return (
    <fieldset className="inline-flex max-w-full rounded-xl border border-line bg-raised p-1">
      <legend className="sr-only">{label}</legend>
      {options.map(([option, text]) => (
        <label
          key={option}
          className="inline-flex min-h-9 items-center rounded-lg px-3 text-sm font-medium text-soft has-checked:bg-card has-checked:text-ink has-checked:ring-1 has-checked:ring-line-strong has-focus-visible:outline-3 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={groupName}
            value={option}
            checked={value === option}
            onChange={() => onChange(option)}
            className="sr-only"
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
