import { z } from "zod";
import { defineContract } from "./define";

export const getOpenapiContract = defineContract({
  operation: "get-openapi",
  method: "GET",
  path: "/api/openapi.json",
  auth: "none",
  tag: "Service",
  summary: "Get this description of the API, OpenAPI 3.1",
  description:
    "Objects in answers are open: a new field may appear at any time. A client must ignore fields that it does " +
    "not know.",
  data: z.record(z.string(), z.unknown()),
  isFixed: true,
  errors: [],
  cacheControl: "public, max-age=300",
  hasNoEnvelope: true,
  exampleAnswer: { openapi: "3.1.0", info: { title: "Roundup API", version: "1.0.0" }, paths: {} },
});
