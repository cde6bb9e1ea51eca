import { buildWrapContract } from "@/lib/contracts/build-wrap";
import { route, routes } from "@/lib/http/route";
import { buildWrap } from "@/lib/services/build-wrap";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(buildWrap, buildWrapContract));
