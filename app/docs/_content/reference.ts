import { z } from "zod";
import { CONTRACTS } from "@/lib/contracts";
import type { Contract } from "@/lib/contracts/define";
import { createExampleRequest } from "@/lib/contracts/examples";
import { listErrorCodes } from "@/lib/contracts/openapi-answers";
import { ERRORS, type ErrorCode } from "@/lib/errors";
import { type FieldRow, listFieldRows } from "./schema-fields";

/* Converts the contracts to plain data, so that the browser does not load the schemas. Server only. */

export interface Parameter extends FieldRow {
  place: "path" | "query";
  example: string | null;
}

export interface Operation extends Pick<Contract, "method" | "path" | "auth" | "tag" | "summary" | "description"> {
  id: string;
  parameters: Parameter[];
  body: { fields: FieldRow[]; example: Record<string, unknown> } | null;
  /** The meaning of each success status. The answers of all statuses have the same shape. */
  statuses: [status: string, description: string][];
  answer: FieldRow[];
  exampleAnswer: unknown;
  /** The response is not wrapped in `{ ok, data }`. */
  hasNoEnvelope: boolean;
  errors: ErrorCode[];
}

let operations: Operation[] | undefined;

/** In the order of the registry. */
export function listOperations(): Operation[] {
  operations ??= CONTRACTS.map(toOperation);
  return operations;
}

/** In the order of each group's first operation in the registry. */
export function listOperationGroups(): { tag: Contract["tag"]; operations: Operation[] }[] {
  const tags = [...new Set(listOperations().map(({ tag }) => tag))];
  return tags.map((tag) => ({ tag, operations: listOperations().filter((operation) => operation.tag === tag) }));
}

function toOperation(contract: Contract): Operation {
  const { operation: id, method, path, auth, tag, summary, description } = contract;
  const { body, data, statuses, exampleAnswer, hasNoEnvelope = false } = contract;
  const example = createExampleRequest(contract).body;
  return {
    id,
    method,
    path,
    auth,
    tag,
    summary,
    description,
    exampleAnswer,
    parameters: [...listParameters(contract, "path"), ...listParameters(contract, "query")],
    body: body && example ? { fields: toFieldRows(body, "input"), example } : null,
    statuses: Object.entries(statuses?.descriptions ?? {}),
    answer: toFieldRows(data, "output"),
    hasNoEnvelope,
    errors: listErrorCodes(contract).sort((left, right) => ERRORS[left][0] - ERRORS[right][0]),
  };
}

function listParameters({ params, query, example }: Contract, place: Parameter["place"]): Parameter[] {
  const schema = place === "path" ? params : query;
  const findExample = (name: string) => (example && name in example ? String(example[name]) : null);
  return schema ? toFieldRows(schema, "input").map((row) => ({ ...row, place, example: findExample(row.path) })) : [];
}

function toFieldRows(valueSchema: z.ZodType, direction: "input" | "output"): FieldRow[] {
  const { $defs, ...schema } = z.toJSONSchema(valueSchema, { io: direction });
  return listFieldRows(schema, ($defs ?? {}) as Record<string, Record<string, unknown>>);
}
