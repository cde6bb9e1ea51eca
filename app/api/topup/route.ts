import { buildTopupContract } from "@/lib/contracts/build-topup";
import { route, routes } from "@/lib/http/route";
import { buildTopup } from "@/lib/services/build-topup";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(buildTopup, buildTopupContract));
