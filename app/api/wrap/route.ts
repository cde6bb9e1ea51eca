import { buildWrapContract } from "@/lib/contracts/build-wrap";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { buildWrap } from "@/lib/services/build-wrap";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(bindRoute(buildWrap, buildWrapContract));
