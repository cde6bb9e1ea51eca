import { z } from "zod";

/** Matches a decimal number that JSON can hold exactly: no sign, no exponent, and at most 15 digits. */
const DECIMAL_PATTERN = /^(?=[\d.]{1,16}$)\d{1,15}(\.\d{1,14})?$/;

/**
 * Undoes usual habits of models' clients, before the schema checks the arguments. A number or a list may be sent as text.
 * An optional argument that is empty text or null counts as not given. HTTP accepts none of this.
 */
export function normalizeArguments(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional) {
    const isMissing = value === null || (typeof value === "string" && value.trim() === "");
    return isMissing ? undefined : normalizeArguments(schema.unwrap() as z.ZodType, value);
  }
  if (schema instanceof z.ZodNumber)
    return typeof value === "string" && DECIMAL_PATTERN.test(value) ? Number(value) : value;
  if (schema instanceof z.ZodArray) {
    const list = typeof value === "string" ? parseJson(value) : value;
    return Array.isArray(list) ? list.map((item) => normalizeArguments(schema.element as z.ZodType, item)) : value;
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const shape: Record<string, z.ZodType> = schema.shape;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, item]) => [name, Object.hasOwn(shape, name) ? normalizeArguments(shape[name]!, item) : item])
      .filter(([, item]) => item !== undefined),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
