/** Converts the JSON schema of a contract's part to table rows. */

export type Schema = Record<string, unknown>;
export type Schemas = Record<string, Schema>;

export interface FieldRow {
  /** Path from the root: `breakdown.roundUpLamports`, `transactions[].quote.route`, `prices.*`. */
  path: string;
  /** JSON type or allowed values: "number", "string or null", "seed, sprout, tree or forest". */
  type: string;
  required: boolean;
  /** "0 to 1,000,000", "1 to 5 items". */
  limits: string[];
  description: string | null;
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const filterSchemas = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** Resolves a reference and removes null from a union. Returns the remaining schema and whether it allowed null. */
function resolveSchema(schema: Schema, schemas: Schemas): { schema: Schema; nullable: boolean } {
  if (typeof schema.$ref === "string") {
    const { $ref, ...own } = schema;
    return resolveSchema({ ...schemas[$ref.replace("#/$defs/", "")], ...own }, schemas);
  }
  const union = filterSchemas(schema.anyOf);
  const rest = union.filter(({ type }) => type !== "null");
  if (union.length > rest.length && rest.length === 1) {
    const { anyOf: _, ...own } = schema;
    return { schema: resolveSchema({ ...rest[0], ...own }, schemas).schema, nullable: true };
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== "null");
    return { schema: { ...schema, type: types[0] }, nullable: types.length < schema.type.length };
  }
  return { schema, nullable: false };
}

/** Returns the rows of an object's members and all nested members, depth first. */
export function listFieldRows(schema: Schema, schemas: Schemas, prefix = ""): FieldRow[] {
  const { schema: resolved } = resolveSchema(schema, schemas);
  const variants = filterSchemas(resolved.oneOf);
  if (variants.length > 0) return mergeVariants(variants.map((variant) => listFieldRows(variant, schemas, prefix)));
  const required = new Set(Array.isArray(resolved.required) ? resolved.required : []);
  const members = isSchema(resolved.properties) ? Object.entries(resolved.properties) : [];
  const rows = members.flatMap(([name, member]) =>
    isSchema(member) ? listMemberRows(`${prefix}${name}`, member, required.has(name), schemas) : [],
  );
  const names = isSchema(resolved.propertyNames) ? resolved.propertyNames.enum : undefined;
  if (Array.isArray(names) && isSchema(resolved.additionalProperties)) {
    const [row, ...below] = listMemberRows(`${prefix}*`, resolved.additionalProperties, true, schemas);
    const each = `One for each of ${names.join(", ")}`;
    rows.push({ ...row!, description: row!.description ? `${each}. ${row!.description}` : each }, ...below);
  }
  return rows;
}

/** Returns the row of one member and of its nested members. */
function listMemberRows(path: string, member: Schema, required: boolean, schemas: Schemas): FieldRow[] {
  const { schema, nullable } = resolveSchema(member, schemas);
  const isList = schema.type === "array";
  const item = isList && isSchema(schema.items) ? resolveSchema(schema.items, schemas).schema : null;
  const described = item && typeof schema.description !== "string" ? item : schema;
  const row: FieldRow = {
    path,
    type: `${item ? `array of ${toPlural(formatType(item))}` : formatType(schema)}${nullable ? " or null" : ""}`,
    required,
    limits: formatLimits(schema),
    description: typeof described.description === "string" ? described.description : null,
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
/** Returns whether a bound is worth showing. Bounds of ±(2^53 − 1) only reflect the range of safe integers. */
const isBound = (value: unknown): value is number => typeof value === "number" && Math.abs(value) < 2 ** 53 - 1;

function formatLimits(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, minItems, maxItems, minLength, maxLength, pattern } = schema;
  return [
    formatRange(isBound(exclusiveMinimum) ? `more than ${formatNumber(exclusiveMinimum)}` : minimum, maximum),
    formatRange(minItems, maxItems, " items"),
    formatRange(minLength, maxLength, " characters"),
    typeof pattern === "string" ? `matches ${pattern}` : null,
  ].filter((text) => text !== null);
}

function formatRange(low: unknown, high: unknown, unit = ""): string | null {
  if (typeof low === "string") return isBound(high) ? `${low}, at most ${formatNumber(high)}${unit}` : `${low}${unit}`;
  if (isBound(low) && isBound(high)) return `${formatNumber(low)} to ${formatNumber(high)}${unit}`;
  if (isBound(low)) return `at least ${formatNumber(low)}${unit}`;
  return isBound(high) ? `at most ${formatNumber(high)}${unit}` : null;
}

/** Merges the rows of a union's shapes. A member is required when every shape requires it. */
function mergeVariants(variants: FieldRow[][]): FieldRow[] {
  const merged = new Map<string, FieldRow>();
  for (const row of variants.flat()) {
    const earlier = merged.get(row.path);
    const type = earlier && earlier.type !== row.type ? `${earlier.type} or ${row.type}` : row.type;
    merged.set(row.path, { ...row, type });
  }
  return [...merged.values()].map((row) => ({
    ...row,
    required: variants.every((rows) => rows.some(({ path, required }) => path === row.path && required)),
  }));
}
