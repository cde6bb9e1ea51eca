import { openapiDocument } from "@/lib/contracts/openapi";
import { type FieldRow, fieldRows, type Schema, type Schemas } from "./schema-fields";

/** The reference as the pages show it, read from the very document that GET /api/openapi.json answers. Server only. */

export interface Parameter extends FieldRow {
  place: "path" | "query";
  example: string | null;
}

export type Access = "anyone" | "caller" | "wallet" | "signer";

export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string | null;
  access: Access;
  parameters: Parameter[];
  body: { fields: FieldRow[]; example: unknown } | null;
  /** What each success status means; they share one shape. */
  statuses: { status: string; description: string }[];
  answer: FieldRow[];
  /** The answer stands without the envelope. */
  bare: boolean;
  errors: { status: string; code: string; sentence: string }[];
}

export const ACCESS_TEXT: Record<Access, string> = {
  anyone: "Anyone, without credentials",
  caller: "Wallet signature or API key",
  wallet: "Wallet signature only",
  signer: "Wallet signature, in the headers or in the body",
};

interface Document {
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Schemas };
}
interface RawContent {
  description: string;
  content: { "application/json": { schema: Schema; example?: unknown } };
}
interface RawOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters?: { name: string; in: "path" | "query"; required: boolean; description?: string; schema: Schema }[];
  requestBody?: RawContent;
  responses: Record<string, RawContent>;
}

let operations: Operation[] | undefined;

/** Every operation, in the order of the document. */
export function listOperations(): Operation[] {
  operations ??= read(openapiDocument() as unknown as Document);
  return operations;
}

/** The same by group, in the order the groups first appear. */
export function operationGroups(): { tag: string; operations: Operation[] }[] {
  const tags = [...new Set(listOperations().map(({ tag }) => tag))];
  return tags.map((tag) => ({ tag, operations: listOperations().filter((operation) => operation.tag === tag) }));
}

function read({ paths, components: { schemas } }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => toOperation(method.toUpperCase(), path, raw, schemas)),
  );
}

function toOperation(method: string, path: string, raw: RawOperation, schemas: Schemas): Operation {
  const responses = Object.entries(raw.responses);
  const successes = responses.filter(([status]) => status.startsWith("2"));
  const schema = successes[0]![1].content["application/json"].schema;
  const data = (schema.properties as Record<string, Schema> | undefined)?.data;
  const json = raw.requestBody?.content["application/json"];
  return {
    id: raw.operationId,
    method,
    path,
    tag: raw.tags[0]!,
    summary: raw.summary,
    description: raw.description ?? null,
    access: accessOf(raw.security),
    parameters: (raw.parameters ?? []).map((one) => toParameter(one, schemas)),
    body: json ? { fields: fieldRows(json.schema, schemas), example: json.example } : null,
    statuses: successes.map(([status, { description }]) => ({ status, description })),
    answer: fieldRows(data ?? schema, schemas),
    bare: data === undefined,
    errors: responses
      .filter(([status]) => !status.startsWith("2"))
      .flatMap(([status, answer]) => toErrors(status, answer)),
  };
}

function toParameter(
  { name, in: place, required, description, schema }: NonNullable<RawOperation["parameters"]>[number],
  schemas: Schemas,
): Parameter {
  const wrapped = { properties: { [name]: { ...schema, description } }, required: required ? [name] : [] };
  const [row] = fieldRows(wrapped, schemas);
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  return { ...row!, place, example: example === undefined ? null : String(example) };
}

function accessOf(security: Record<string, unknown>[]): Access {
  if (security.length === 0) return "anyone";
  if (security.some((way) => "apiKey" in way)) return "caller";
  return security.some((way) => Object.keys(way).length === 0) ? "signer" : "wallet";
}

/** The document writes them as "`code`: sentence", one paragraph each. */
function toErrors(status: string, { description }: RawContent): Operation["errors"] {
  return description.split("\n\n").flatMap((line) => {
    const [, code, sentence] = /^`(\w+)`: (.*)$/.exec(line) ?? [];
    return code && sentence ? [{ status, code, sentence }] : [];
  });
}
