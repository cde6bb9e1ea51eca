import { calculateRoundUpContract } from "@/lib/contracts/calculate-round-up";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { calculateRoundUp } from "@/lib/services/calculate-round-up";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(calculateRoundUp, calculateRoundUpContract),
);
