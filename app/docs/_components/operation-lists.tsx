"use client";

import type { ReactNode } from "react";
import { Chevron } from "@/app/_components/chevron";
import type { Operation } from "@/app/docs/_content/reference";
import type { FieldRow } from "@/app/docs/_content/schema-fields";
import { renderCode } from "./prose";

/*
 * These are client components. A page with server components would contain each of the hundreds of rows twice: as HTML
 * and as serialized elements.
 */

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

/** Lists fields. In a response, it marks the fields that may be absent. In a request, it marks the required ones. */
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

/** Returns whether a limit fits beside the type. A pattern is long, so it gets its own line. */
const isShortLimit = (limit: string) => !limit.startsWith("matches ");

export function ErrorList({ errors }: Pick<Operation, "errors">) {
  return (
    <ul className="error-list">
      {errors.map(({ status, code, sentence }) => (
        <li key={code}>
          <span>
            {`${status} `}
            <strong>{code}</strong>
          </span>
          <p>{renderCode(sentence)}</p>
        </li>
      ))}
    </ul>
  );
}
