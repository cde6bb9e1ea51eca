import type { z } from "zod";
import type { ErrorCode } from "../errors";

/**
 * Who may call an operation.
 * - `none`: anyone.
 * - `caller`: a wallet signature or an API key.
 * - `wallet`: a wallet signature only.
 * - `signer`: a wallet signature in the headers or in the body. The service checks it.
 * - `optional`: anyone; a wallet signature or an API key shows more.
 */
export type AuthRule = "none" | "caller" | "wallet" | "signer" | "optional";

export interface Contract<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
> {
  /** Verb-noun name, used for the contract, the service, tests, the operationId and log lines. */
  operation: string;
  method: "GET" | "POST" | "DELETE";
  /** Path with `{name}` for each path parameter. */
  path: string;
  auth: AuthRule;
  summary: string;
  /** Facts a caller needs beyond the schemas. */
  description?: string;
  tag: "Public" | "Round-ups" | "Swaps" | "Wallets" | "Keys" | "Service";
  params?: Params;
  query?: Query;
  body?: Body;
  data: Data;
  /** Error codes specific to this operation. `listErrorCodes` adds those that follow from the rest of the contract. */
  errors: readonly ErrorCode[];
  /** The success statuses. Only 200 when absent. */
  statuses?: {
    chooseStatus(data: z.output<Data>): number;
    /** The meaning of each status. */
    descriptions: Record<number, string>;
    /** The schema of `data` for each status, for the OpenAPI document. */
    schemas: Record<number, z.ZodType>;
  };
  /** Cache-Control of a successful answer. `no-store` when absent. */
  cacheControl?: string;
  /** True when the body is the data without the envelope, as for the OpenAPI document. */
  hasNoEnvelope?: boolean;
  /** True when every caller gets the same answer, which is built once per process without the store or an upstream. */
  isFixed?: boolean;
  /** True when the service returns the same object while the answer is unchanged. Each object is serialized once. */
  returnsCachedObjects?: boolean;
  /**
   * True for the health: its calls are limited per process, not in the shared store, so that a hanging store cannot
   * delay a probe. HEAD and `?probe=…` count in the bucket `probe`.
   */
  isRateLimitedLocally?: boolean;
  /** True for a call that waits for an outcome or an event, and so is exempt from the 5 s limit of other requests. */
  isLongRunning?: boolean;
  /** The only network that serves the operation. Other networks answer 404. */
  onlyNetwork?: "sandbox";
  /**
   * Example request: params, query and body in one object, with EXAMPLE_PLACEHOLDER for values only the caller knows.
   * Absent when a request has no fields. Used by the documentation, the curl in docs/api.md and the tests of every
   * operation.
   */
  example?: Record<string, unknown>;
  /** Data of the answer to `example`. */
  exampleAnswer: z.output<Data>;
}

/** The decoded type of one request part. An absent part becomes `unknown`, which allows the fields of other parts. */
type DecodedPart<T> = T extends z.ZodType ? (string extends keyof z.output<T> ? unknown : z.output<T>) : unknown;
/** The type of one request part as the caller sends it, before decoding. */
type SentPart<T> = T extends z.ZodType ? (string extends keyof z.input<T> ? unknown : z.input<T>) : unknown;

/** Input of a service: params, query and body in one object. The names in params, query and body never clash. */
export type InputOf<C> =
  C extends Contract<infer P, infer Q, infer B, z.ZodType> ? DecodedPart<P> & DecodedPart<Q> & DecodedPart<B> : never;
/** Request body as the caller sends it. */
export type BodyOf<C> = C extends Contract<z.ZodType, z.ZodType, infer B, z.ZodType> ? z.input<B> : never;
/** Data of an operation's answer. */
export type DataOf<C> = C extends Contract<z.ZodType, z.ZodType, z.ZodType, infer D> ? z.output<D> : never;

/** Types a contract with its method and path as literals. By default, an absent part is an empty object. */
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
    example?: SentPart<NoInfer<Params>> & SentPart<NoInfer<Query>> & SentPart<NoInfer<Body>>;
  },
): Contract<Params, Query, Body, Data> & { method: Method; path: Path } {
  return contract;
}
