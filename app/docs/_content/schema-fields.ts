/* Converts the JSON schema of a request or an answer to rows of a table. */

export type Schema = Record<string, unknown>;
export type Schemas = Record<string, Schema>;

export interface FieldRow {
  /** Path from the root: `breakdown.roundUpLamports`, `transactions[].quote.route`, `prices.*`. */
  path: string;
  /** JSON type or allowed values: "number", "string or null", "seed, sprout, tree or forest". */
  type: string;
  required: boolean;
  /** Limits in words, such as "0 to 1,000,000" or "1 to 5 items". */
  limits: string[];
  description: string | null;
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const filterSchemas = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** Resolves a reference, and takes null out of a union. */
function resolveSchema(schema: Schema, schemas: Schemas): { schema: Schema; isNullable: boolean } {
  if (typeof schema.$ref === "string") {
    const { $ref, ...overrides } = schema;
    return resolveSchema({ ...schemas[$ref.replace("#/$defs/", "")], ...overrides }, schemas);
  }
  const union = filterSchemas(schema.anyOf);
  const otherTypes = union.filter(({ type }) => type !== "null");
  if (union.length > otherTypes.length && otherTypes.length === 1) {
    const { anyOf: _, ...overrides } = schema;
    return { schema: resolveSchema({ ...otherTypes[0], ...overrides }, schemas).schema, isNullable: true };
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== "null");
    return { schema: { ...schema, type: types[0] }, isNullable: types.length < schema.type.length };
  }
  return { schema, isNullable: false };
}

/** Depth first. */
export function listFieldRows(schema: Schema, schemas: Schemas, prefix = ""): FieldRow[] {
  const { schema: resolvedSchema } = resolveSchema(schema, schemas);
  const variants = filterSchemas(resolvedSchema.oneOf);
  if (variants.length > 0) return mergeVariants(variants.map((variant) => listFieldRows(variant, schemas, prefix)));
  const required = new Set(Array.isArray(resolvedSchema.required) ? resolvedSchema.required : []);
  const fields = isSchema(resolvedSchema.properties) ? Object.entries(resolvedSchema.properties) : [];
  const rows = fields.flatMap(([name, field]) =>
    isSchema(field) ? listRowsOfField(`${prefix}${name}`, field, required.has(name), schemas) : [],
  );
  const memberNames = isSchema(resolvedSchema.propertyNames) ? resolvedSchema.propertyNames.enum : undefined;
  if (Array.isArray(memberNames) && isSchema(resolvedSchema.additionalProperties)) {
    const [row, ...nestedRows] = listRowsOfField(`${prefix}*`, resolvedSchema.additionalProperties, true, schemas);
    const keysText = `One for each of ${memberNames.join(", ")}`;
    rows.push(
      { ...row!, description: row!.description ? `${keysText}. ${row!.description}` : keysText },
      ...nestedRows,
    );
  }
  return rows;
}

function listRowsOfField(path: string, field: Schema, required: boolean, schemas: Schemas): FieldRow[] {
  const { schema, isNullable } = resolveSchema(field, schemas);
  const isList = schema.type === "array";
  const item = isList && isSchema(schema.items) ? resolveSchema(schema.items, schemas).schema : null;
  const describedSchema = item && typeof schema.description !== "string" ? item : schema;
  const row: FieldRow = {
    path,
    type: `${item ? `array of ${toPlural(formatType(item))}` : formatType(schema)}${isNullable ? " or null" : ""}`,
    required,
    limits: formatLimits(schema),
    description: typeof describedSchema.description === "string" ? describedSchema.description : null,
  };
  return [row, ...(item ? listFieldRows(item, schemas, `${path}[].`) : listFieldRows(schema, schemas, `${path}.`))];
}

function formatType(schema: Schema): string {
  if (Array.isArray(schema.enum)) return joinWithOr(schema.enum.map((word) => String(word) || "empty"));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return typeof schema.type === "string" ? schema.type : "anything";
}

const joinWithOr = (words: string[]) =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
const toPlural = (type: string) => (/^(string|number|integer|boolean|object)$/.test(type) ? `${type}s` : type);

const formatNumber = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 9 });
/** Bounds of ±(2^53 − 1) only reflect the range of safe integers. */
const isShownBound = (value: unknown): value is number => typeof value === "number" && Math.abs(value) < 2 ** 53 - 1;

function formatLimits(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, minItems, maxItems, minLength, maxLength, pattern } = schema;
  return [
    isShownBound(exclusiveMinimum) ? `more than ${formatNumber(exclusiveMinimum)}` : null,
    formatRange(minimum, maximum),
    formatRange(minItems, maxItems, " items"),
    formatRange(minLength, maxLength, " characters"),
    typeof pattern === "string" ? `matches ${pattern}` : null,
  ].filter((text) => text !== null);
}

function formatRange(min: unknown, max: unknown, unit = ""): string | null {
  if (isShownBound(min) && isShownBound(max)) return `${formatNumber(min)} to ${formatNumber(max)}${unit}`;
  if (isShownBound(min)) return `at least ${formatNumber(min)}${unit}`;
  return isShownBound(max) ? `at most ${formatNumber(max)}${unit}` : null;
}

/** A field is required if all variants require it. The last description wins. */
function mergeVariants(variants: FieldRow[][]): FieldRow[] {
  const rowsByPath = new Map<string, FieldRow>();
  for (const row of variants.flat()) {
    const earlierRow = rowsByPath.get(row.path);
    const type = earlierRow && earlierRow.type !== row.type ? `${earlierRow.type} or ${row.type}` : row.type;
    rowsByPath.set(row.path, { ...row, type });
  }
  return [...rowsByPath.values()].map((row) => ({
    ...row,
    required: variants.every((rows) => rows.some(({ path, required }) => path === row.path && required)),
  }));
}
