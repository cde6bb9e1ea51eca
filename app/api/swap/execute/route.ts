import { executeSwapContract } from "@/lib/contracts/execute-swap";
import { route, routes } from "@/lib/http/route";
import { executeSwap } from "@/lib/services/execute-swap";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(executeSwap, executeSwapContract));
