export function Logo() {
  return (
    <span className="inline-flex items-center gap-2 text-lg font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7">
        <circle cx="16" cy="16" r="14" className="fill-accent" />
        <path
          d="M9.5 17.5a6.5 6.5 0 1 1 6.5 6.5M9.5 24v-6.5"
          className="fill-none stroke-accent-ink stroke-[3.2]"
          strokeLinecap="round"
        />
      </svg>
      Roundup
    </span>
  );
}
