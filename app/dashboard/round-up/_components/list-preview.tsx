import { UsdAmount } from "@/app/_components/money";
import { fromMicroUsd } from "@/lib/domain/money";
import type { Column } from "@/lib/domain/purchases/guess-choices";
import type { RowReading } from "@/lib/domain/purchases/read-purchases";

const PREVIEW_ROWS = 8;
const CELL_CLASSES = "px-2 py-1.5 sm:px-3";

/** Shows the first rows of the list. The first column says how each row is read. */
export function ListPreview({ columns, readings }: { columns: Column[]; readings: RowReading[] }) {
  return (
    <section
      aria-label="First rows of your list"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-xl border border-line"
    >
      <table className="w-full text-left text-sm">
        <caption className="sr-only">The first rows of your list, and how each is read</caption>
        <thead className="bg-raised">
          <tr>
            {["Read as", ...columns.map(({ index, title }) => title || `Column ${index + 1}`)].map((title, i) => (
              <th key={i} scope="col" className={`font-medium whitespace-nowrap ${CELL_CLASSES}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {readings.slice(0, PREVIEW_ROWS).map(({ id, cells, purchase, reason }) => (
            <tr key={id}>
              <td className={`min-w-36 ${CELL_CLASSES}`}>
                {purchase ? (
                  <UsdAmount usd={fromMicroUsd(purchase.microUsd)} isExact className="font-semibold" />
                ) : (
                  <span className="text-soft">{`Left out: ${reason}`}</span>
                )}
              </td>
              {columns.map(({ index }) => (
                <td key={index} className={`whitespace-nowrap ${CELL_CLASSES}`}>
                  {cells[index]?.trim().slice(0, 40)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
