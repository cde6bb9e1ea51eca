import type { z } from "zod";
import type { Contract, InputOf } from "../../../lib/contracts/define";

/** Parses the given fields with the operation's contract. @returns the input that the service receives */
export function parseInput<C extends Contract>(contract: C, fields: Record<string, unknown> = {}): InputOf<C> {
  const parts = [contract.params, contract.query, contract.body].filter((part) => part !== undefined) as z.ZodObject[];
  const input = parts.map((part) => {
    const entries = Object.entries(fields).filter(([name]) => parts.length === 1 || name in part.shape);
    return part.parse(Object.fromEntries(entries));
  });
  return Object.assign({}, ...input) as InputOf<C>;
}
