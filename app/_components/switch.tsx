import type { ReactNode } from "react";

interface Props {
  label: string;
  isOn: boolean;
  disabled?: boolean;
  onChange: () => void;
  children: ReactNode;
}

export function Switch({ label, isOn, disabled, onChange, children }: Props) {
  return (
    <div className="flex items-center justify-between gap-4">
      <div>
        <p className="font-medium">{label}</p>
        <p className="text-sm text-soft">{children}</p>
      </div>
      <button
        type="button"
        role="switch"
        aria-checked={isOn}
        aria-label={label}
        disabled={disabled}
        onClick={onChange}
        className="relative h-8 w-14 shrink-0 rounded-full border border-line-strong bg-raised transition-colors aria-checked:border-accent aria-checked:bg-accent"
      >
        <span
          aria-hidden="true"
          className={`absolute top-1 left-1 size-5.5 rounded-full transition-transform ${isOn ? "translate-x-6 bg-accent-ink" : "bg-line-strong"}`}
        />
      </button>
    </div>
  );
}
