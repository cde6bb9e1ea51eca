import { z } from "zod";
import { OFFCHAIN_FORMS } from "../solana/offchain-message";
import type { Contract } from "./define";
import { createExampleRequest } from "./examples";
import { CONTRACTS } from "./index";
import { buildFailureComponents, buildFailures, buildHeaders, Failure, HEADERS, type Schema } from "./openapi-answers";
import { API_VERSION } from "./version";

let cachedDocument: Schema | undefined;

/** Returns the OpenAPI 3.1 document, generated from the contracts once. */
export function getOpenapiDocument(): Schema {
  cachedDocument ??= buildDocument();
  return cachedDocument;
}

function buildDocument(): Schema {
  const schemas: Record<string, Schema> = { Failure };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const contract of CONTRACTS) {
    paths[contract.path] = {
      ...paths[contract.path],
      [contract.method.toLowerCase()]: buildOperation(contract, schemas),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Roundup API",
      version: API_VERSION,
      contact: { name: "Roundup" },
      license: { name: "All rights reserved", identifier: "LicenseRef-All-Rights-Reserved" },
      description:
        "Round-up investing on Solana. The wallet is the identity; no private key is ever returned. " +
        "60 requests in any rolling 60 seconds per client address; a static key may have a limit of its own; every answer carries X-RateLimit-Limit, -Remaining and -Reset " +
        "(Unix seconds), RateLimit and RateLimit-Policy. `network` may be sent in any body or query and must then be this deployment's.",
    },
    servers: [{ url: "/" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas, headers: HEADERS, ...buildFailureComponents(CONTRACTS), securitySchemes: SECURITY_SCHEMES },
  };
}

const TAGS: Record<Contract["tag"], string> = {
  Public: "Prices, plans and balances. No credentials are needed.",
  "Round-ups": "Compute the change of a payment, and build the transfer that saves it.",
  Swaps: "Quote and build swaps, and submit what the wallet has signed.",
  Wallets: "The savings wallet: derive it, register it, withdraw from it.",
  Keys: "API keys of a wallet.",
  Service: "Health and description of the service.",
};

const createHeaderScheme = (name: string, description: string) => ({ type: "apiKey", in: "header", name, description });

const SECURITY_SCHEMES = {
  wallet: createHeaderScheme("x-wallet", "Public key of the wallet, base58. Send it with x-signature"),
  signature: createHeaderScheme("x-signature", "The wallet's signature over the text of GET /api/auth, base64"),
  signatureForm: createHeaderScheme(
    "x-signature-form",
    `What x-signature signs, if it is an off-chain message: ${OFFCHAIN_FORMS.join(" or ")}. Absent for the plain text`,
  ),
  siwsMessage: createHeaderScheme(
    "x-siws-message",
    "The Sign In With Solana message that x-signature signs, base64. See GET /api/auth/nonce",
  ),
  apiKey: createHeaderScheme("x-api-key", "A static key, or a key from POST /api/keys/generate"),
};

const BY_WALLET = { wallet: [], signature: [] };
const BY_OFFCHAIN_MESSAGE = { ...BY_WALLET, signatureForm: [] };
const BY_SIGN_IN = { ...BY_WALLET, siwsMessage: [] };
const SECURITY = {
  none: [],
  caller: [BY_WALLET, BY_OFFCHAIN_MESSAGE, BY_SIGN_IN, { apiKey: [] }],
  wallet: [BY_WALLET, BY_OFFCHAIN_MESSAGE, BY_SIGN_IN],
  signer: [BY_WALLET, BY_OFFCHAIN_MESSAGE, BY_SIGN_IN, {}],
  optional: [{}, BY_WALLET, BY_OFFCHAIN_MESSAGE, BY_SIGN_IN, { apiKey: [] }],
};

function buildOperation(contract: Contract, schemas: Record<string, Schema>): Schema {
  const { operation: operationId, summary, description, tag } = contract;
  const parameters = [...buildParameters(contract, "path", schemas), ...buildParameters(contract, "query", schemas)];
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [tag],
    security: SECURITY[contract.auth],
    ...(parameters.length > 0 && { parameters }),
    ...(contract.body && { requestBody: buildRequestBody(contract, schemas) }),
    responses: { ...buildSuccessResponses(contract, schemas), ...buildFailures(contract) },
  };
}

function buildRequestBody(contract: Contract, schemas: Record<string, Schema>): Schema {
  const json = { schema: toJsonSchema(contract.body!, "input", schemas), example: createExampleRequest(contract).body };
  return { required: true, content: { "application/json": json } };
}

function buildSuccessResponses(contract: Contract, schemas: Record<string, Schema>): Schema {
  const { exampleAnswer, statuses } = contract;
  const toAnswerSchema = (status: string) => {
    const data = toJsonSchema(statuses?.schemas[Number(status)] ?? contract.data, "output", schemas);
    return contract.hasNoEnvelope
      ? data
      : { type: "object", required: ["ok", "data"], properties: { ok: { type: "boolean", const: true }, data } };
  };
  const example = contract.hasNoEnvelope ? exampleAnswer : { ok: true, data: exampleAnswer };
  const exampleStatus = String(statuses?.chooseStatus(exampleAnswer) ?? 200);
  return Object.fromEntries(
    Object.entries(statuses?.descriptions ?? { 200: "Success" }).map(([status, description]) => [
      status,
      {
        description,
        headers: buildHeaders(Number(status)),
        content: {
          "application/json": { schema: toAnswerSchema(status), ...(status === exampleStatus && { example }) },
        },
      },
    ]),
  );
}

function buildParameters(contract: Contract, place: "path" | "query", schemas: Record<string, Schema>): Schema[] {
  const schema = place === "path" ? contract.params : contract.query;
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const { description, ...json } = toJsonSchema(field, "input", schemas);
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

/**
 * Converts a schema to JSON Schema 2020-12. Moves schemas with an `id` to `schemas`, the document's components. Objects
 * of answers are open, so that a new field breaks no generated client.
 */
function toJsonSchema(schema: z.ZodType, io: "input" | "output", schemas: Record<string, Schema>): Schema {
  const override = ({ jsonSchema }: { jsonSchema: Schema }) => {
    if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    turnRecordIntoObject(jsonSchema);
  };
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, { io, override }) as Schema & { $defs?: Record<string, Schema> };
  for (const [id, { id: _id, $id: _uri, ...definition }] of Object.entries($defs ?? {})) {
    schemas[id] = replaceReferences(definition) as Schema;
  }
  return replaceReferences(json) as Schema;
}

/** Turns a record with known keys into an object with these fields. Generated clients then know the fields. */
function turnRecordIntoObject(json: Schema): void {
  const { propertyNames, additionalProperties } = json;
  const names = (propertyNames as Schema | undefined)?.enum as string[] | undefined;
  if (!names) return;
  delete json.propertyNames;
  delete json.additionalProperties;
  json.properties = Object.fromEntries(names.map((name) => [name, additionalProperties]));
}

/** Rewrites every `#/$defs/X` to `#/components/schemas/X`. */
function replaceReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(replaceReferences);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === "$ref" && typeof member === "string"
        ? member.replace("#/$defs/", "#/components/schemas/")
        : replaceReferences(member),
    ]),
  );
}
