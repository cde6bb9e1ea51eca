import { getOpenapiContract } from "@/lib/contracts/get-openapi";
import { route, routes } from "@/lib/http/route";
import { getOpenapi } from "@/lib/services/get-openapi";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(getOpenapi, getOpenapiContract));
