import { z } from "zod";
import { ERRORS, type ErrorCode } from "../errors";
import type { Contract } from "./define";
import { exampleRequest } from "./examples";
import { CONTRACTS } from "./index";

type Schema = Record<string, unknown>;

/** Error codes of every operation. A body is validated even for operations that take none. */
const ALWAYS: ErrorCode[] = [
  "invalid_request",
  "network_mismatch",
  "invalid_json",
  "request_timeout",
  "body_too_large",
  "unsupported_media_type",
  "rate_limited",
  "headers_too_large",
  "internal",
];
const WITH_AUTH: ErrorCode[] = ["credentials_missing", "credentials_invalid"];
/**
 * Error codes of every operation that uses the store, a node or the market. Each of them can fail in all three ways.
 */
const WITH_UPSTREAM: ErrorCode[] = ["upstream_unavailable", "upstream_invalid", "upstream_timeout"];

/** Returns every error code of an operation. Only `fixed` answers need no upstream. */
export function errorCodesOf({ auth, fixed, errors }: Contract): ErrorCode[] {
  const codes = [...ALWAYS, ...(auth === "none" ? [] : WITH_AUTH), ...(fixed ? [] : WITH_UPSTREAM), ...errors];
  return [...new Set(codes)];
}

let document: Schema | undefined;

/** Returns the OpenAPI 3.1 document, generated from the contracts once. */
export function openapiDocument(): Schema {
  document ??= build();
  return document;
}

function build(): Schema {
  const schemas: Record<string, Schema> = { Failure };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const contract of CONTRACTS) {
    paths[contract.path] = { ...paths[contract.path], [contract.method.toLowerCase()]: operation(contract, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Roundup API",
      version: "1.0.0",
      description:
        "Round-up investing on Solana. The wallet is the identity; no private key is ever returned. " +
        "60 requests in any rolling 60 seconds per client address; a static key may have a limit of its own; every answer carries X-RateLimit-Limit, -Remaining and -Reset " +
        "(Unix seconds), RateLimit and RateLimit-Policy. `network` may be sent in any body or query and must then be this deployment's.",
    },
    servers: [{ url: "/" }],
    tags: [...new Set(CONTRACTS.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: { schemas, securitySchemes: SECURITY_SCHEMES },
  };
}

const SECURITY_SCHEMES = {
  wallet: {
    type: "apiKey",
    in: "header",
    name: "x-wallet",
    description: "Wallet public key, base58; goes with x-signature",
  },
  signature: {
    type: "apiKey",
    in: "header",
    name: "x-signature",
    description: "Base64 Ed25519 signature over the text of GET /api/auth",
  },
  siwsMessage: {
    type: "apiKey",
    in: "header",
    name: "x-siws-message",
    description: "Base64 of the Sign In With Solana message that x-signature signs, see GET /api/auth/nonce",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "A static key or one from POST /api/keys/generate",
  },
};

const BY_WALLET = { wallet: [], signature: [] };
const BY_SIGN_IN = { ...BY_WALLET, siwsMessage: [] };
const SECURITY = {
  none: [],
  caller: [BY_WALLET, BY_SIGN_IN, { apiKey: [] }],
  wallet: [BY_WALLET, BY_SIGN_IN],
  signer: [BY_WALLET, BY_SIGN_IN, {}],
  optional: [{}, BY_WALLET, BY_SIGN_IN, { apiKey: [] }],
};

const Failure: Schema = {
  type: "object",
  required: ["ok", "error", "code", "requestId"],
  properties: {
    ok: { const: false },
    error: { type: "string", description: "A sentence a person can act on" },
    code: { type: "string", enum: Object.keys(ERRORS), description: "Stable; never reused" },
    requestId: { type: "string" },
    txSignature: { type: "string" },
    issues: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

function operation(contract: Contract, schemas: Record<string, Schema>): Schema {
  const { operation: operationId, summary, description, tag } = contract;
  const parameters = [...parametersOf(contract, "path", schemas), ...parametersOf(contract, "query", schemas)];
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [tag],
    security: SECURITY[contract.auth],
    ...(parameters.length > 0 && { parameters }),
    ...(contract.body && { requestBody: requestBody(contract, schemas) }),
    responses: { ...successes(contract, schemas), ...failures(contract) },
  };
}

function requestBody(contract: Contract, schemas: Record<string, Schema>): Schema {
  const json = { schema: toSchema(contract.body!, "input", schemas), example: exampleRequest(contract).body };
  return { required: true, content: { "application/json": json } };
}

function successes(contract: Contract, schemas: Record<string, Schema>): Schema {
  const data = toSchema(contract.data, "output", schemas);
  const schema = contract.bare
    ? data
    : { type: "object", required: ["ok", "data"], properties: { ok: { const: true }, data } };
  const { exampleAnswer, statuses } = contract;
  const example = contract.bare ? exampleAnswer : { ok: true, data: exampleAnswer };
  const exampleStatus = String(statuses?.of(exampleAnswer) ?? 200);
  return Object.fromEntries(
    Object.entries(statuses?.describe ?? { 200: "Success" }).map(([status, description]) => [
      status,
      { description, content: { "application/json": { schema, ...(status === exampleStatus && { example }) } } },
    ]),
  );
}

function failures(contract: Contract): Schema {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(contract)) {
    const [status] = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code][1]}`).join("\n\n"),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } },
      },
    ]),
  );
}

function parametersOf(contract: Contract, place: "path" | "query", schemas: Record<string, Schema>): Schema[] {
  const schema = place === "path" ? contract.params : contract.query;
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const { description, ...json } = toSchema(field, "input", schemas);
    return {
      name,
      in: place,
      required: place === "path" || !(field instanceof z.ZodOptional),
      ...(typeof description === "string" && { description }),
      ...(contract.example && name in contract.example && { example: contract.example[name] }),
      schema: json,
    };
  });
}

/** Converts a schema to JSON Schema 2020-12. Moves schemas with an `id` to the components. */
function toSchema(schema: z.ZodType, io: "input" | "output", schemas: Record<string, Schema>): Schema {
  const { $schema: _, $defs, ...json } = z.toJSONSchema(schema, { io }) as Schema & { $defs?: Record<string, Schema> };
  for (const [id, { id: _id, $id: _uri, ...definition }] of Object.entries($defs ?? {})) {
    schemas[id] = relink(definition) as Schema;
  }
  return relink(json) as Schema;
}

/** Rewrites every `#/$defs/X` to `#/components/schemas/X`. */
function relink(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relink);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === "$ref" && typeof member === "string"
        ? member.replace("#/$defs/", "#/components/schemas/")
        : relink(member),
    ]),
  );
}
