import { z } from "zod";
import type { Contract } from "./define";

/** The wallets of every example, so that requests and answers tell one story; where a shell shows it they are variables. */
export const EXAMPLE_WALLET = "HxF4PMsbDqcuUMdrsYtiopC6DgEbebC4A34SE4yCKrLd";
export const EXAMPLE_SERVICE_WALLET = "GUkjXdyq4Z9khP59FsNpRnYThWvgRUu1Lgm1JU17BwLK";
export const EXAMPLE_KEY_ID = "a11b654c308b17b4";
/** In place of what only the caller can make: a signature, a signed transaction. */
export const EXAMPLE_GAP = "…";

/** A contract's example as it is sent; `body` is undefined where the operation takes none. */
export function exampleRequest({ path, params, query, body, example = {} }: Contract) {
  const namesOf = (part: z.ZodType | undefined) => (part instanceof z.ZodObject ? Object.keys(part.shape) : []);
  const pick = (wanted: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(example).filter(([name]) => wanted(name)));
  const [inPath, inQuery] = [namesOf(params), namesOf(query)];
  return {
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => String(example[name])),
    query: pick((name) => inQuery.includes(name)),
    body: body && pick((name) => !inPath.includes(name) && !inQuery.includes(name)),
  };
}
