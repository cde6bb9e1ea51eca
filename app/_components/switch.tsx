interface Props {
  /** Names the setting. */
  label: string;
  on: boolean;
  disabled?: boolean;
  onChange: () => void;
}

export function Switch({ label, on, disabled, onChange }: Props) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      aria-label={label}
      disabled={disabled}
      onClick={onChange}
      className="relative h-8 w-14 shrink-0 rounded-full border border-line-strong bg-raised transition-colors aria-checked:border-accent aria-checked:bg-accent"
    >
      <span
        aria-hidden="true"
        className={`absolute top-1 left-1 size-5.5 rounded-full transition-transform ${on ? "translate-x-6 bg-accent-ink" : "bg-line-strong"}`}
      />
    </button>
  );
}
