import { buildSwapContract } from "@/lib/contracts/build-swap";
import { route, routes } from "@/lib/http/route";
import { buildSwap } from "@/lib/services/build-swap";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(buildSwap, buildSwapContract));
