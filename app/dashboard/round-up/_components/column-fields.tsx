"use client";

import { useMemo } from "react";
import { SelectField } from "@/app/_components/field";
import {
  type Column,
  guessAmountTerms,
  guessChoices,
  listFilterColumns,
  MAX_HEADER_ROW,
} from "@/lib/domain/purchases/guess-choices";
import { isKept, type ListChoices, type RowFilter } from "@/lib/domain/purchases/list-choices";
import { isBlank, type Table } from "@/lib/domain/purchases/read-table";

type Option = readonly [value: string, label: string];

const COLUMN_FIELDS = [
  ["date", "Date"],
  ["description", "Description"],
  ["amount", "Amount, or money out"],
  ["moneyIn", "Money in, if apart"],
] as const;

interface Props {
  table: Table;
  columns: Column[];
  choices: ListChoices;
  onChange: (choices: ListChoices) => void;
}

export function ColumnFields({ table, columns, choices, onChange }: Props) {
  const change = (changes: Partial<ListChoices>) => onChange({ ...choices, ...changes });
  const changeAmount = (amount: number) => {
    const { currency, ...terms } = guessAmountTerms(table, { ...choices, amount });
    change({ amount, ...terms, ...(typeof choices.currency !== "number" && { currency }) });
  };
  const options = columns.map(toOption);
  return (
    <div className="grid grid-cols-2 gap-x-3 gap-y-4 lg:grid-cols-3">
      <SelectField
        label="Header"
        options={[["-1", "None"], ...listHeaderOptions(table)]}
        value={String(choices.headerRow)}
        onChange={(row) => onChange(guessChoices(table, Number(row)))}
      />
      {COLUMN_FIELDS.map(([name, label]) => (
        <SelectField
          key={name}
          label={label}
          error={name === "amount" && choices.amount < 0 ? "Choose it." : null}
          options={[["-1", "None"], ...options]}
          value={String(choices[name])}
          onChange={(column) => (name === "amount" ? changeAmount(Number(column)) : change({ [name]: Number(column) }))}
        />
      ))}
      <SelectField
        label="Currency"
        error={choices.currency === null ? "Your list does not name it." : null}
        options={[
          ["", "Choose"],
          ["usd", "US dollars"],
          ["other", "Another one"],
          ...options.map(([index, text]) => [index, `As named in ${text}`] as const),
        ]}
        value={String(choices.currency ?? "")}
        onChange={(text) =>
          change({ currency: text === "usd" || text === "other" ? text : text ? Number(text) : null })
        }
      />
      <SelectField
        label="Purchases have"
        options={[
          ["plain", "no minus: 4.35"],
          ["minus", "a minus: -4.35"],
        ]}
        value={choices.spendingSign}
        onChange={(spendingSign) => change({ spendingSign })}
      />
      <SelectField
        label="Decimals"
        error={choices.decimal === null ? "Your list allows both." : null}
        options={[
          ["", "Choose"],
          ["point", "Point: 1,234.50"],
          ["comma", "Comma: 1.234,50"],
        ]}
        value={choices.decimal ?? ""}
        onChange={(decimal) => change({ decimal: decimal || null })}
      />
      <FilterFields columns={columns} choices={choices} onChange={onChange} />
    </div>
  );
}

function toOption({ index, title, cells }: Column): Option {
  const sample = cells[0] ? ` (${cells[0].slice(0, 20)})` : "";
  return [String(index), `${title || `Column ${index + 1}`}${sample}`];
}

const listHeaderOptions = ({ rows }: Table): Option[] =>
  rows.slice(0, MAX_HEADER_ROW).flatMap((row, i) => {
    const names = row.filter((cell) => cell.trim() !== "").join(", ");
    return isBlank(row) ? [] : [[String(i), `Row ${i + 1}: ${names.slice(0, 40)}`] as const];
  });

/** Chooses the columns that say which rows count, such as a status, and which of their values count. */
function FilterFields({ columns, choices, onChange }: Omit<Props, "table">) {
  const filterColumns = useMemo(() => listFilterColumns(columns), [columns]);
  return choices.filters.map((filter, i) => {
    const label = i === 0 ? "Leave out rows by" : "And by";
    const change = (changes: Partial<RowFilter>) =>
      onChange({ ...choices, filters: choices.filters.with(i, { ...filter, ...changes }) });
    return (
      <div key={label} className="min-w-0 space-y-2">
        <SelectField
          label={label}
          options={[["-1", "None"], ...filterColumns.map(toOption)]}
          value={String(filter.column)}
          onChange={(column) => change({ column: Number(column), kept: {} })}
        />
        {filterColumns
          .filter(({ index }) => index === filter.column)
          .map(({ index, title, values }) => (
            <fieldset key={index}>
              <legend className="text-sm text-soft">{`Rows that count, by ${title || `column ${index + 1}`}`}</legend>
              {values.map((value) => (
                <label key={value} className="flex min-h-9 items-center gap-2 text-sm wrap-anywhere">
                  <input
                    type="checkbox"
                    checked={isKept(filter, value)}
                    onChange={(event) => change({ kept: { ...filter.kept, [value]: event.target.checked } })}
                    className="size-5 shrink-0 accent-accent"
                  />
                  {value}
                </label>
              ))}
            </fieldset>
          ))}
      </div>
    );
  });
}
