import { getOpenapiContract } from "@/lib/contracts/get-openapi";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getOpenapi } from "@/lib/services/get-openapi";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(getOpenapi, getOpenapiContract),
);
