"use client";

import type { ReactNode } from "react";
import { Chevron } from "@/app/_components/chevron";
import type { Operation } from "@/app/docs/_content/reference";
import type { FieldRow } from "@/app/docs/_content/schema-fields";
import { ERRORS } from "@/lib/errors";
import { renderCode } from "./prose";

/* Client components: server components would put each of the hundreds of rows into the page twice. */

export function FoldedSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="group rounded-xl border border-line">
      <summary className="flex min-h-11 items-center justify-between gap-3 px-4 font-medium marker:content-none">
        {title}
        <Chevron className="group-open:rotate-180" />
      </summary>
      <div className="border-t border-line p-4">{children}</div>
    </details>
  );
}

/** Marks the fields that a response may lack, or that a request must have. */
export function FieldList({ fields, isAnswer = false }: { fields: FieldRow[]; isAnswer?: boolean }) {
  return (
    <dl className="field-list">
      {fields.map(({ path, type, required, limits, description }) => (
        <div key={path}>
          <dt>
            <code>{path}</code>
            <span>{[type, ...limits.filter(isShortLimit)].join(", ")}</span>
            {isAnswer ? !required && <span>not always</span> : required && <strong>required</strong>}
          </dt>
          <dd>
            {description && renderCode(description)}
            {limits
              .filter((limit) => !isShortLimit(limit))
              .map((limit) => (
                <code key={limit} className="block font-mono text-xs break-all">
                  {limit}
                </code>
              ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A pattern is long, so it gets its own line. */
const isShortLimit = (limit: string) => !limit.startsWith("matches ");

export function ErrorList({ errors }: Pick<Operation, "errors">) {
  return (
    <ul className="error-list">
      {errors.map((code) => (
        <li key={code}>
          <span>
            {`${ERRORS[code][0]} `}
            <strong>{code}</strong>
          </span>
          <p>{renderCode(ERRORS[code][1])}</p>
        </li>
      ))}
    </ul>
  );
}
