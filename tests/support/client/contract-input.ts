import type { z } from "zod";
import type { Contract, DataOf, InputOf } from "../../../lib/contracts/define";
import type { Deps } from "../../../lib/ports/deps";

/** Parses the given fields with the operation's contract. @returns the input that the service receives */
export function parseInput<C extends Contract>(contract: C, fields: Record<string, unknown> = {}): InputOf<C> {
  const parts = [contract.params, contract.query, contract.body].filter((part) => part !== undefined) as z.ZodObject[];
  const input = parts.map((part) => {
    const entries = Object.entries(fields).filter(([name]) => parts.length === 1 || name in part.shape);
    return part.parse(Object.fromEntries(entries));
  });
  return Object.assign({}, ...input) as InputOf<C>;
}

/** Calls a service as its route does: parses the fields and encodes the answer with the operation's contract. */
export async function callService<C extends Contract, Rest extends unknown[]>(
  contract: C,
  service: (deps: Deps, input: InputOf<C>, ...rest: Rest) => Promise<unknown>,
  deps: Deps,
  fields: Record<string, unknown> = {},
  ...rest: Rest
): Promise<DataOf<C>> {
  return contract.data.parse(await service(deps, parseInput(contract, fields), ...rest)) as DataOf<C>;
}
