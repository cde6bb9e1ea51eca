import type { z } from "zod";
import type { ErrorCode } from "../errors";

/** Who may call an operation, in words for the documentation. The service itself checks a `signer`. */
export const AUTH_TEXTS = {
  none: "Anyone",
  caller: "Signature or API key",
  wallet: "Wallet signature only",
  signer: "Wallet signature, in the headers or in the body",
  optional: "Anyone; credentials show more",
};
export type AuthRule = keyof typeof AUTH_TEXTS;

export interface Contract<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
> {
  /** A verb-noun name, everywhere. */
  operation: string;
  method: "GET" | "POST" | "DELETE";
  path: string;
  auth: AuthRule;
  summary: string;
  description?: string;
  tag: "Public" | "Round-ups" | "Swaps" | "Wallets" | "Keys" | "Service";
  params?: Params;
  query?: Query;
  body?: Body;
  data: Data;
  /** `listErrorCodes` adds those that follow from the rest of the contract. */
  errors: readonly ErrorCode[];
  statuses?: {
    chooseStatus(data: z.output<Data>): number;
    descriptions: Record<number, string>;
    /** For the OpenAPI document. */
    schemas: Record<number, z.ZodType>;
  };
  /** `no-store` when absent. */
  cacheControl?: string;
  /** The body is the data without the envelope, as for the OpenAPI document. */
  hasNoEnvelope?: boolean;
  /** Every caller gets the same answer, built once per process without the store or an upstream. */
  isFixed?: boolean;
  /** The service returns the same object while the answer is unchanged. Each object is serialized once. */
  returnsCachedObjects?: boolean;
  /** Counts calls per process, so that a hanging store cannot delay a probe. Probes have a separate bucket. */
  isRateLimitedLocally?: boolean;
  /** Waits for an outcome or an event, and so is exempt from the 5 s limit of other requests. */
  isLongRunning?: boolean;
  onlyNetwork?: "sandbox";
  /** Params, query and body of a request, which tests send too. EXAMPLE_PLACEHOLDER is what only the caller knows. */
  example?: Record<string, unknown>;
  exampleAnswer: z.output<Data>;
}

/** An absent part becomes `unknown`, which allows the fields of other parts. */
type DecodedPart<T> = T extends z.ZodType ? (string extends keyof z.output<T> ? unknown : z.output<T>) : unknown;
/** As the caller sends the part, before decoding. */
type SentPart<T> = T extends z.ZodType ? (string extends keyof z.input<T> ? unknown : z.input<T>) : unknown;

/** Params, query and body in one object. Their names never clash. */
export type InputOf<C> =
  C extends Contract<infer P, infer Q, infer B, z.ZodType> ? DecodedPart<P> & DecodedPart<Q> & DecodedPart<B> : never;
export type BodyOf<C> = C extends Contract<z.ZodType, z.ZodType, infer B, z.ZodType> ? z.input<B> : never;
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
