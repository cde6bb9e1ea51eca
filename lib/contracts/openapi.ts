import { z } from "zod";
import { OFFCHAIN_FORMS } from "../solana/offchain-message";
import type { Contract } from "./define";
import { createExampleRequest } from "./examples";
import { CONTRACTS } from "./index";
import { buildFailureComponents, buildFailures, buildHeaders, Failure, HEADERS, type Schema } from "./openapi-answers";
import { API_VERSION } from "./version";

/** Generates the OpenAPI 3.1 document. Its answer is fixed, so it is built once per process. */
export function getOpenapiDocument(): Schema {
  const schemas: Record<string, Schema> = { Failure: toJsonSchema(Failure, "output", {}) };
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

export const TAGS: Record<Contract["tag"], string> = {
  Public: "Prices, plans and balances. No credentials are needed.",
  "Round-ups": "Compute the change of payments, list the unsaved ones, and build the transfers that save.",
  Swaps: "Buy and sell assets, send signed transactions, and read their events.",
  Wallets: "Derive and register the savings wallet, and withdraw from it.",
  Keys: "Create, list and revoke API keys for long-running programs.",
  Service: "Check the service, read its description, and get play money in a sandbox.",
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

/** Moves schemas with an `id` to `schemas`. Answers are open, so that a new field breaks no generated client. */
function toJsonSchema(schema: z.ZodType, io: "input" | "output", schemas: Record<string, Schema>): Schema {
  const override = ({ jsonSchema }: { jsonSchema: Schema }) => {
    if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    turnRecordIntoObject(jsonSchema);
  };
  const text = JSON.stringify(z.toJSONSchema(schema, { io, override }));
  const { $schema: _, $defs = {}, ...json } = JSON.parse(text.replaceAll("#/$defs/", "#/components/schemas/"));
  for (const [id, { id: _id, $id: _uri, ...definition }] of Object.entries<Schema>($defs)) schemas[id] = definition;
  return json;
}

/** Generated clients then know the fields of a record. */
function turnRecordIntoObject(json: Schema): void {
  const { propertyNames, additionalProperties } = json;
  const names = (propertyNames as Schema | undefined)?.enum as string[] | undefined;
  if (!names) return;
  delete json.propertyNames;
  delete json.additionalProperties;
  json.properties = Object.fromEntries(names.map((name) => [name, additionalProperties]));
}
