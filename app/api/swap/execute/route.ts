import { executeSwapContract } from "@/lib/contracts/execute-swap";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { executeSwap } from "@/lib/services/execute-swap";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(executeSwap, executeSwapContract),
);
