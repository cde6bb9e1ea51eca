import type { z } from "zod";
import type { ErrorCode } from "../errors";

/**
 * Who may call: `none` anyone; `caller` a wallet signature or an API key; `wallet` a wallet signature only;
 * `signer` a wallet signature in the headers or in the body, checked by the service; `optional` anyone, and a wallet
 * signature or an API key shows more.
 */
export type AuthRule = "none" | "caller" | "wallet" | "signer" | "optional";

export interface Contract<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
> {
  /** The verb-noun name used everywhere: contract, service, test, operationId, log line. */
  operation: string;
  method: "GET" | "POST" | "DELETE";
  /** With `{name}` for path parameters. */
  path: string;
  auth: AuthRule;
  summary: string;
  /** What a caller must know beyond the schemas. */
  description?: string;
  tag: "Public" | "Round-ups" | "Swaps" | "Wallets" | "Keys" | "Service";
  params?: Params;
  query?: Query;
  body?: Body;
  data: Data;
  /** The codes of this operation alone. `errorCodesOf` adds those that follow from the rest of the contract. */
  errors: readonly ErrorCode[];
  /** Success statuses and when each is answered; 200 alone when absent. */
  statuses?: { of(data: z.output<Data>): number; describe: Record<number, string> };
  /** Cache-Control of a success; `no-store` when absent. */
  cacheControl?: string;
  /** The body is the data itself, without the envelope (the OpenAPI document). */
  bare?: boolean;
  /** The same answer to everybody until the process ends: made once, without asking the store or any upstream. */
  fixed?: boolean;
  /** The service gives the very same object for as long as the answer is the same: each is made into text once. */
  repeats?: boolean;
  /** Counted by each process for itself, so that a shared store that hangs delays no probe. */
  countedHere?: boolean;
  /** May take longer than the 5 s that every other request has: it follows what it did until that is certain. */
  patient?: boolean;
  /** Only served on this network; elsewhere 404. */
  only?: "sandbox";
  /**
   * A request as an example: params, query and body in one object, EXAMPLE_GAP where only the caller knows. Absent where
   * there is nothing to say. The documentation, the curl in docs/api.md and the tests of every operation use it.
   */
  example?: Record<string, unknown>;
  /** What `example` is answered: the data. */
  exampleAnswer: z.output<Data>;
}

/** An absent part is an empty object, which must not forbid the fields of the others. */
type Value<T> = T extends z.ZodType ? (string extends keyof z.output<T> ? unknown : z.output<T>) : unknown;
type Entered<T> = T extends z.ZodType ? (string extends keyof z.input<T> ? unknown : z.input<T>) : unknown;

/** What a service gets: params, query and body in one object (their names never clash). */
export type InputOf<C> =
  C extends Contract<infer P, infer Q, infer B, z.ZodType> ? Value<P> & Value<Q> & Value<B> : never;
/** What a caller puts into the body. */
export type BodyOf<C> = C extends Contract<z.ZodType, z.ZodType, infer B, z.ZodType> ? z.input<B> : never;
export type DataOf<C> = C extends Contract<z.ZodType, z.ZodType, z.ZodType, infer D> ? z.output<D> : never;

/** Types a contract, its method and path as literals; the defaults make an absent part an empty object. */
export function defineContract<
  const Method extends Contract["method"],
  const Path extends string,
  Data extends z.ZodType,
  Params extends z.ZodType = z.ZodObject<Record<never, never>>,
  Query extends z.ZodType = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodObject<Record<never, never>>,
>(
  contract: Contract<Params, Query, Body, Data> & {
    method: Method;
    path: Path;
    example?: Entered<NoInfer<Params>> & Entered<NoInfer<Query>> & Entered<NoInfer<Body>>;
  },
): Contract<Params, Query, Body, Data> & { method: Method; path: Path } {
  return contract;
}
