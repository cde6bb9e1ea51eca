import { Notice } from "@/app/_components/card";
import type { RowReading } from "@/lib/domain/purchases/read-purchases";

/** Says which rows of the list are no purchases, and why. */
export function LeftOutRows({ readings }: { readings: RowReading[] }) {
  const leftOutRows = readings.filter(({ reason }) => reason !== null);
  if (leftOutRows.length === 0) return null;
  return (
    <Notice
      tone="warn"
      title={leftOutRows.length === 1 ? "1 row is left out" : `${leftOutRows.length} rows are left out`}
    >
      <details>
        <summary className="min-h-6 list-none underline decoration-dotted underline-offset-4 [&::-webkit-details-marker]:hidden">
          Which, and why
        </summary>
        <ul
          aria-label="Rows that are left out"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="mt-2 max-h-48 overflow-y-auto wrap-anywhere"
        >
          {leftOutRows.map(({ id, reason }) => (
            <li key={id}>{`Row ${id}: ${reason}.`}</li>
          ))}
        </ul>
      </details>
    </Notice>
  );
}
