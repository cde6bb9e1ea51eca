import { buildSwapContract } from "@/lib/contracts/build-swap";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { buildSwap } from "@/lib/services/build-swap";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(bindRoute(buildSwap, buildSwapContract));
