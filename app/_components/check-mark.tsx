/** Not every font has the character. */
export function CheckMark() {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      className="size-3.5 shrink-0 fill-none stroke-3 stroke-current"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d="m5 13 5 5 9-11" />
    </svg>
  );
}
